#include "base/error.h"
#include "base/strings.h"
#include "engines/gpu_plan.h"
#include "ops/cuda/kernel_image.h"
#include "vm/labels.h"

namespace tally {
namespace {

absl::Status NoDeviceCode() {
  return MakeError(label::engine_unavailable, absl::StrCat("engine cuda: ", ToAbsl(cuda::kNoDeviceCode)));
}

}  // namespace

absl::StatusOr<std::string> GpuName() { return NoDeviceCode(); }

absl::StatusOr<std::unique_ptr<const Plan>> MakeGpuPlan(std::shared_ptr<const ValidModule>) {
  return NoDeviceCode();
}

}  // namespace tally
