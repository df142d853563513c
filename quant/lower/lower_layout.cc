// Operators that move elements: exact on the grid.
#include "base/status_macros.h"
#include "ops/layout/attrs.h"
#include "quant/lower/lowering.h"

namespace tally::quant {

absl::StatusOr<tally::ValueId> Lowering::Lower(const Reshape& op, const Node& node, const QuantizedType&) {
  ASSIGN_OR_RETURN(const Lowered x, Operand(node, 0));
  return builder_.Op(Opcode::kReshape, {x.id}, ReshapeAttrs{.shape = op.shape});
}

absl::StatusOr<tally::ValueId> Lowering::Lower(const Transpose& op, const Node& node, const QuantizedType&) {
  ASSIGN_OR_RETURN(const Lowered x, Operand(node, 0));
  return builder_.Op(Opcode::kTranspose, {x.id}, TransposeAttrs{.axes = op.permutation});
}

absl::StatusOr<tally::ValueId> Lowering::Lower(const Concat& op, const Node& node, const QuantizedType& to) {
  std::vector<tally::ValueId> parts;
  for (size_t i = 0; i < node.operands.size(); ++i) {
    ASSIGN_OR_RETURN(const Lowered x, Operand(node, i));
    ASSIGN_OR_RETURN(const tally::ValueId part, OnGrid(x, to));
    parts.push_back(part);
  }
  return builder_.Op(Opcode::kConcatenate, std::move(parts), ConcatenateAttrs{.axis = op.axis});
}

}  // namespace tally::quant
