#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "ops/layout/attrs.h"
#include "quant/labels.h"
#include "quant/lower/lowering.h"
#include "quant/ops/layout/layout_ops.h"

namespace tally::quant {

LoweredResult Reshape::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  return lowering.builder().Op(Opcode::kReshape, {x.id}, ReshapeAttrs{.shape = shape});
}

LoweredResult Transpose::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  return lowering.builder().Op(Opcode::kTranspose, {x.id}, TransposeAttrs{.axes = permutation});
}

LoweredResult Concat::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  std::vector<tally::ValueId> parts;
  for (size_t i = 0; i < node.operands.size(); ++i) {
    ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, i));
    ASSIGN_OR_RETURN(const tally::ValueId part, lowering.OnGrid(x, to));
    parts.push_back(part);
  }
  return lowering.builder().Op(Opcode::kConcatenate, std::move(parts), ConcatenateAttrs{.axis = axis});
}

LoweredResult Constant::Lower(Lowering&, const Node&, const QuantizedType&) const {
  return MakeError(label::lower_unsupported, "constants are lowered where they are read");
}

}  // namespace tally::quant
