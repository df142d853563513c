#include <utility>

#include "base/status_macros.h"
#include "quant/ops/elementwise/elementwise_ops.h"

namespace tally::quant {

TypeResult Add::Infer(const OperandTypes& operands) const {
  ASSIGN_OR_RETURN(Shape shape, Broadcast(operands[0].shape, operands[1].shape));
  return ValueType{ElementType::kFloat32, std::move(shape)};
}

TypeResult Relu::Infer(const OperandTypes& operands) const { return operands[0]; }

TypeResult Clip::Infer(const OperandTypes& operands) const {
  if (!(low <= high)) return BadAttribute("Clip: low is not at most high");  // also refuses NaN
  return operands[0];
}

}  // namespace tally::quant
