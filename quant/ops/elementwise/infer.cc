#include <utility>

#include "base/status_macros.h"
#include "quant/ops/elementwise/elementwise_ops.h"

namespace tally::quant {
namespace {

TypeResult BroadcastType(const OperandTypes& operands) {
  ASSIGN_OR_RETURN(Shape shape, Broadcast(operands[0].shape, operands[1].shape));
  return ValueType{ElementType::kFloat32, std::move(shape)};
}

}  // namespace

TypeResult Add::Infer(const OperandTypes& operands) const { return BroadcastType(operands); }
TypeResult Sub::Infer(const OperandTypes& operands) const { return BroadcastType(operands); }
TypeResult Mul::Infer(const OperandTypes& operands) const { return BroadcastType(operands); }
TypeResult Div::Infer(const OperandTypes& operands) const { return BroadcastType(operands); }
TypeResult Max::Infer(const OperandTypes& operands) const { return BroadcastType(operands); }
TypeResult Min::Infer(const OperandTypes& operands) const { return BroadcastType(operands); }

TypeResult Relu::Infer(const OperandTypes& operands) const { return operands[0]; }

TypeResult Clip::Infer(const OperandTypes& operands) const {
  if (!(low <= high)) return BadAttribute("Clip: low is not at most high");  // also refuses NaN
  return operands[0];
}

}  // namespace tally::quant
