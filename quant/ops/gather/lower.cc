#include "base/status_macros.h"
#include "ops/gather/attrs.h"
#include "quant/lower/lowering.h"
#include "quant/ops/gather/gather_ops.h"
#include "quant/ops/gather/places.h"

namespace tally::quant {

LoweredResult Gather::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  const auto& indices = std::get<Int64Tensor>(*ConstantOf(lowering.graph(), node.operands[1]));
  const int64_t size = lowering.ShapeOfOperand(node, 0)[static_cast<size_t>(axis)];
  ASSIGN_OR_RETURN(const tally::ValueId places,
                   lowering.IntegerConstant(indices.shape, PlacesOf(indices.data, size)));
  return lowering.builder().Op(Opcode::kTake, {x.id, places}, TakeAttrs{.axis = {axis}});
}

}  // namespace tally::quant
