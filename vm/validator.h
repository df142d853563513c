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

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/valid_module.h"

namespace tally {

absl::StatusOr<ValidModule> Validate(Module module);

// The types of all results, by function, instruction and result.
using ResultTypes = std::vector<std::vector<std::vector<TensorType>>>;

// The same for who has only the program of a module (serializer/program.h): its functions, and `constants`
// constants whose elements are elsewhere. What Validate proves from elements is taken from `claimed`, which
// the type rules bound otherwise; so nothing is proven of overflow. The result has shape and storage of each
// constant but no bytes: referees take it (vm/referee.h), engines do not. Shapes, gas and memory are as
// Validate has them. Errors: those of Validate but for metadata and constants; program_types (a claimed type
// has another shape than its rule gives, or is not in its interval).
absl::StatusOr<ValidModule> ValidateProgram(Module program, size_t constants, const ResultTypes& claimed);

}  // namespace tally
