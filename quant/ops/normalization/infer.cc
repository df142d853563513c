#include <cmath>

#include "base/status_macros.h"
#include "quant/ops/normalization/normalization_ops.h"

namespace tally::quant {

TypeResult BatchNorm::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  if (x.size() < 2) return BadShape("BatchNorm takes x [N, C, ...], not " + ToString(x));
  if (!std::isfinite(epsilon) || epsilon < 0) return BadAttribute("BatchNorm: epsilon is not a number >= 0");
  for (size_t i = 1; i < operands.size(); ++i) {
    if (operands[i].shape != Shape{x[1]}) {
      return BadShape("BatchNorm: operand " + std::to_string(i) + " " + ToString(operands[i].shape) +
                      " does not fit the channels of x " + ToString(x));
    }
  }
  return operands[0];
}

TypeResult Softmax::Infer(const OperandTypes& operands) const {
  RETURN_IF_ERROR(CheckAxis(axis, operands[0].shape.size()));
  return operands[0];
}

}  // namespace tally::quant
