// The equation of the project: every engine computes the same values, and they are what validation proved.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "vm/valid_module.h"

namespace tally {

// Runs `module` on every engine. OK when
//   - nothing traps: no int64_t operation overflows and no result leaves its interval;
//   - every engine shows the same values in the same order, in the storage of their types, and to those who ask for roots
//     the roots of these values;
//   - every value lies in its inferred interval and, in profile cvm, within its published precision;
//   - the cpu engine computes the same results unobserved, on every level of instructions that the machine has, on 1, 2
//     and 3 threads, in memory of the caller that is aligned and that is not, beside which it writes nothing;
//   - the gas used is the module's, which is the sum over its instructions.
// Otherwise an Internal error that names the engine and the value. `inputs` are what the parameters declare.
//
// `sample`: a part of this that modules with different numbers share: every level, but of the numbers of threads one and
// of observed levels one; the formal engine for one in 4, emulated devices for one in 128, threads that really run for one
// in 16, where others have all parts of a step run on one. Without it everything but emulated devices.
absl::Status CheckExecution(const std::shared_ptr<const ValidModule>& module,
                            std::span<const TensorView> inputs, std::optional<uint64_t> sample = {});

}  // namespace tally
