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
//   - the gas used is the module's: the sum over its instructions, and what is passed.
// Otherwise an Internal error that names the engine and the value. `inputs` are what the parameters declare.
//
// `sample`: the number of a part of this, so that many modules share what one would take long to be tried on.
// It draws the level of instructions (rarely all), the number of threads, whether values and roots are
// observed, which scalar engines and emulated devices run, and whether threads really run, since others have
// all parts of a step run on one. Plans that serve no module this small are tried too: images pooled as they
// are computed, operators as they are that others lower. Without a number everything but those plans and
// emulated devices.
absl::Status CheckExecution(const std::shared_ptr<const ValidModule>& module,
                            std::span<const TensorView> inputs, std::optional<uint64_t> sample = {});

}  // namespace tally
