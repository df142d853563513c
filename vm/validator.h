// Validate: the proof that a module cannot overflow, trap or exceed known gas and memory.
//
//   ASSIGN_OR_RETURN(const ValidModule valid, Validate(std::move(module)));
//   valid.types()[7].ToString();  // "[1,64,56,56] in [-41022, 39877]"
//
// One forward pass, O(instructions + bytes of constants). The order of the checks is part of the
// specification (docs/spec/validation.md), so every implementation reports the same first error. Errors: the
// labels of stage `invalid` in docs/spec/errors.md and the operators' own constraints; the message names the
// instruction.
#pragma once

#include "absl/status/statusor.h"
#include "vm/valid_module.h"

namespace tally {

absl::StatusOr<ValidModule> Validate(Module module);

}  // namespace tally
