// Every way in which a module runs: all engines, each level of instructions of this machine, both kinds of
// devices.
#pragma once

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "vm/plan.h"

namespace tally {

// The first failure of `check`, and where it was. Devices are emulated.
absl::Status ForEveryPlan(const std::shared_ptr<const ValidModule>& module,
                          const std::function<absl::Status(const Plan&)>& check);

}  // namespace tally
