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

LoweredResult Slice::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  StridedSliceAttrs attrs = {.begin = begin, .end = end, .stride = step};
  const auto shape = lowering.ShapeOfOperand(node, 0);
  for (size_t i = 0; i < attrs.end.size(); ++i) {
    if (attrs.end[i] < 0) attrs.end[i] -= shape[i];  // strided_slice counts it from the back
  }
  return lowering.builder().Op(Opcode::kStridedSlice, {x.id}, attrs);
}

LoweredResult Pad::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  constexpr PadMode kModes[] = {PadMode::kConstant, PadMode::kEdge, PadMode::kReflect, PadMode::kWrap};
  return lowering.builder().Op(Opcode::kPad, {x.id},
                               PadAttrs{.before = before,
                                        .after = after,
                                        .value = mode == Mode::kZero ? to.zero_point : 0,
                                        .mode = kModes[static_cast<size_t>(mode)]});
}

LoweredResult PadConstant::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const tally::ValueId id, lowering.OnGrid(x, to));
  return lowering.builder().Op(Opcode::kPad, {id},
                               PadAttrs{.before = before, .after = after, .value = to.Quantize(value)});
}

LoweredResult AppendChannel::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  const std::vector<int64_t> none(lowering.ShapeOfOperand(node, 0).size());
  PadAttrs attrs = {.before = none, .after = none, .value = to.Quantize(value)};
  attrs.after[1] = 1;
  return lowering.builder().Op(Opcode::kPad, {x.id}, attrs);
}

LoweredResult Expand::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  return lowering.builder().Op(Opcode::kBroadcastTo, {x.id}, BroadcastToAttrs{.shape = shape});
}

LoweredResult Tile::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  if (repeats.empty()) return x.id;
  return lowering.builder().Op(Opcode::kTile, {x.id}, TileAttrs{.reps = repeats});
}

LoweredResult Constant::Lower(Lowering&, const Node&, const QuantizedType&) const {
  return MakeError(label::lower_unsupported, "constants are lowered where they are read");
}

}  // namespace tally::quant
