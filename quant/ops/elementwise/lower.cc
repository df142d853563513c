#include <cmath>

#include "base/status_macros.h"
#include "ops/elementwise/attrs.h"
#include "quant/lower/lowering.h"
#include "quant/ops/elementwise/elementwise_ops.h"

namespace tally::quant {
namespace {

// Moving to a grid keeps the order, so the operands are compared on that of the result.
LoweredResult LowerChoice(Lowering& lowering, const Node& node, Opcode opcode, const QuantizedType& to) {
  ASSIGN_OR_RETURN(const Lowered a, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered b, lowering.Operand(node, 1));
  ASSIGN_OR_RETURN(const tally::ValueId a_on_grid, lowering.OnGrid(a, to));
  ASSIGN_OR_RETURN(const tally::ValueId b_on_grid, lowering.OnGrid(b, to));
  return lowering.builder().Op(opcode, {a_on_grid, b_on_grid});
}

}  // namespace

LoweredResult Max::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  return LowerChoice(lowering, node, Opcode::kBroadcastMax, to);
}

LoweredResult Min::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  return LowerChoice(lowering, node, Opcode::kBroadcastMin, to);
}

LoweredResult Relu::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  return Clip{0, HUGE_VALF}.Lower(lowering, node, to);
}

// The bounds are already in the grid of the result, which is that of the operand.
LoweredResult Clip::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  return lowering.builder().Op(Opcode::kClip, {x.id},
                               ClipAttrs{.a_min = to.interval.lo, .a_max = to.interval.hi});
}

}  // namespace tally::quant
