// Sums of products in Einstein's notation.
//
//   ASSIGN_OR_RETURN(const Operand y, Einsum(emitter, "bij,bjk->bik", {a, b}));
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

// Letters name axes, and "..." those that have no letter, which broadcast; without "->" the result has those
// that occur once, in alphabetical order. Errors: model_malformed for an equation that cannot be read or does
// not fit the operands; model_unsupported_attribute for diagonals and more than two operands.
absl::StatusOr<Operand> Einsum(Emitter& emitter, std::string_view equation,
                               const std::vector<Operand>& operands);

}  // namespace tally::frontend
