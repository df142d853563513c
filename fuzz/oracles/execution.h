// The equation of the project: every engine computes the same values, and they are what validation proved.
#pragma once

#include <memory>
#include <span>

#include "absl/status/status.h"
#include "vm/valid_module.h"

namespace tally {

// Runs `module` on the formal, the reference, the trapping and every other available engine. OK when
//   - nothing traps: no int64_t operation overflows and no result leaves its interval;
//   - every engine shows the same values at every instruction, in the storage of their types;
//   - every value lies in its inferred interval and, in profile cvm, within its published precision;
//   - the cpu engine computes the same results unobserved, on every level of instructions that the machine has and on
//     1, 2 and 3 threads;
//   - the gas used is the module's, which is the sum over its instructions.
// Otherwise an Internal error that names the engine and the value. `inputs` are what the parameters declare.
absl::Status CheckExecution(const std::shared_ptr<const ValidModule>& module,
                            std::span<const TensorView> inputs);

}  // namespace tally
