#include "base/status_macros.h"
#include "quant/ops/layout/layout_ops.h"

namespace tally::quant {

TypeResult ReverseSequence::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  RETURN_IF_ERROR(CheckAxis(batch_axis, x.size()));
  RETURN_IF_ERROR(CheckAxis(time_axis, x.size()));
  if (batch_axis == time_axis) return BadAttribute("ReverseSequence: batch and time are one axis");
  if (operands[1].element != ElementType::kInt64) {
    return MakeError(label::graph_element_type, "ReverseSequence: the lengths are not int64");
  }
  if (operands[1].shape != Shape{x[static_cast<size_t>(batch_axis)]}) {
    return BadShape("ReverseSequence: lengths " + ToString(operands[1].shape) + " for " + ToString(x));
  }
  return operands[0];
}

}  // namespace tally::quant
