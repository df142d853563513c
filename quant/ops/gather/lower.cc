#include "base/status_macros.h"
#include "ops/gather/attrs.h"
#include "quant/lower/lowering.h"
#include "quant/ops/gather/gather_ops.h"
#include "quant/ops/gather/places.h"

namespace tally::quant {

// Indices that are computed may be negative, and are proven to be none for take, which counts none from the
// back.
LoweredResult Gather::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  const Tensor* constant = ConstantOf(lowering.graph(), node.operands[1]);
  if (constant == nullptr) {
    ASSIGN_OR_RETURN(const Lowered indices, lowering.Operand(node, 1));
    if (indices.type.interval.lo < 0) {
      return lowering.builder().Op(Opcode::kGather, {x.id, indices.id}, GatherAttrs{.axis = axis});
    }
    return lowering.builder().Op(Opcode::kTake, {x.id, indices.id}, TakeAttrs{.axis = {axis}});
  }
  const auto& indices = std::get<Int64Tensor>(*constant);
  const int64_t size = lowering.ShapeOfOperand(node, 0)[static_cast<size_t>(axis)];
  ASSIGN_OR_RETURN(const tally::ValueId places,
                   lowering.IntegerConstant(indices.shape, PlacesOf(indices.data, size)));
  return lowering.builder().Op(Opcode::kTake, {x.id, places}, TakeAttrs{.axis = {axis}});
}

LoweredResult GatherElements::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered indices, lowering.Operand(node, 1));
  return lowering.builder().Op(Opcode::kGatherElements, {x.id, indices.id}, GatherAttrs{.axis = axis});
}

LoweredResult GatherNd::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered indices, lowering.Operand(node, 1));
  return lowering.builder().Op(Opcode::kGatherNd, {x.id, indices.id},
                               GatherNdAttrs{.batch_dims = batch_dims});
}

}  // namespace tally::quant
