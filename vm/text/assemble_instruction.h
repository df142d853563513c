// Instructions of the text form: `%7 = conv2d %0, %5, %6 {padding = [1, 1], ...}`.
#pragma once

#include "absl/status/statusor.h"
#include "vm/module.h"
#include "vm/text/assemble_constant.h"
#include "vm/text/token_reader.h"

namespace tally {

// The value `expected`, which is defined here. Error text_value_id.
absl::Status TakeDefinition(TokenReader& reader, ValueId expected);

struct AssembledInstruction {
  Instruction instruction;
  int definitions = 1;  // not yet compared with the function that the instruction names
  Token start;
};

// An instruction whose first result is `first_result`. `%3 = constant i8 [2] {1, 2}` appends to `constants`.
absl::StatusOr<AssembledInstruction> AssembleInstruction(TokenReader& reader, ValueId first_result,
                                                         AssembledConstants& constants);

}  // namespace tally
