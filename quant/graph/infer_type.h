// Type inference: what an operator yields for operands of given types, or why it does not fit them.
//
//   ASSIGN_OR_RETURN(const ValueType y, InferType(Dense{}, {x_type, weight_type}));
//
// Errors: graph_operands      wrong number of operands
//         graph_element_type  an operand is not float32 (or, for Concat, the operands differ)
//         graph_attribute     an attribute is outside its range or contradicts an operand's rank
//         graph_shape         operand shapes do not fit each other or the operator
//         graph_rank, graph_dimension, graph_size   as CheckShape, for the result
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "quant/graph/op.h"
#include "quant/tensor/tensor.h"

namespace tally::quant {

absl::StatusOr<ValueType> InferType(const Op& op, const std::vector<ValueType>& operands);

}  // namespace tally::quant
