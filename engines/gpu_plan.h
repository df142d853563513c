// Engine cuda as the list of engines sees it: linked where the build has device code (--config=cuda), an
// error elsewhere.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "vm/plan.h"
#include "vm/valid_module.h"

namespace tally {

// The GPU of this process. Errors: engine_unavailable, which says why there is none.
absl::StatusOr<std::string> GpuName();

// Errors: those of GpuName; device_memory, when the device cannot hold the plan, and device_failed.
absl::StatusOr<std::unique_ptr<const Plan>> MakeGpuPlan(std::shared_ptr<const ValidModule> module);

}  // namespace tally
