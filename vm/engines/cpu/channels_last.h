// Which operators run on values that lie channels last, and how.
#pragma once

#include <optional>
#include <vector>

#include "vm/engines/cpu/operator_step.h"
#include "vm/engines/cpu/program_builder.h"

namespace tally::cpu {

// Instruction `step` as an operator over the bytes of channels-last values: the same operator on permuted shapes, with
// its axes renamed. Its results are to be Set channels last. Nothing when the operator has no such form.
std::optional<OperatorCall> OnPermutedShapes(ProgramBuilder& builder, size_t step);

}  // namespace tally::cpu
