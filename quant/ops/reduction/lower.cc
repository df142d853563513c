#include "base/status_macros.h"
#include "ops/reduction/attrs.h"
#include "quant/lower/lowering.h"
#include "quant/ops/reduction/reduction_ops.h"

namespace tally::quant {

// Indices.
QuantizedType ArgMax::OwnGrid(const OperandTypes& operands) const {
  return {1, 0, {0, operands[0].shape[axis] - 1}};
}

LoweredResult ArgMax::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  return lowering.builder().Op(Opcode::kArgExtreme, {x.id},
                               ArgExtremeAttrs{.axis = axis, .keepdims = keep_dimension});
}

}  // namespace tally::quant
