// Operators on constants, computed while importing: shape arithmetic, and what exporters do with weights.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/operand.h"

namespace tally::frontend {

// Whether `op` is computed where all its operands are constants.
bool Folds(const quant::Op& op, const std::vector<Operand>& operands);

// The cost of the computation, in elements of the result, or for a product of matrices in products.
int64_t WorkOf(const quant::Op& op, const std::vector<Operand>& operands, const quant::ValueType& result);

// The result, of the type that InferType returns. Errors: model_unsupported_operand for integers that have
// none, or one beyond 64 bits.
absl::StatusOr<quant::Tensor> Fold(const quant::Op& op, const std::vector<Operand>& operands,
                                   const quant::ValueType& result);

}  // namespace tally::frontend
