#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/status_macros.h"
#include "quant/ops/normalization/normalization_ops.h"

namespace tally::quant {
namespace {

TypeResult InferFeatureNorm(std::string_view name, const OperandTypes& operands,
                            const std::vector<int64_t>& axes, float epsilon) {
  const Shape& x = operands[0].shape;
  RETURN_IF_ERROR(CheckAxes(axes, x.size()));
  if (!std::isfinite(epsilon) || epsilon < 0) {
    return BadAttribute(std::string(name) + ": epsilon is not a number >= 0");
  }
  for (size_t i = 1; i < operands.size(); ++i) {
    ASSIGN_OR_RETURN(const Shape broadcast, Broadcast(operands[i].shape, x));
    if (broadcast != x) {
      return BadShape(std::string(name) + ": operand " + std::to_string(i) + " " +
                      ToString(operands[i].shape) + " does not broadcast to x " + ToString(x));
    }
  }
  return operands[0];
}

}  // namespace

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

TypeResult LogSoftmax::Infer(const OperandTypes& operands) const {
  RETURN_IF_ERROR(CheckAxis(axis, operands[0].shape.size()));
  return operands[0];
}

TypeResult LayerNorm::Infer(const OperandTypes& operands) const {
  return InferFeatureNorm("LayerNorm", operands, axes, epsilon);
}

TypeResult RmsNorm::Infer(const OperandTypes& operands) const {
  return InferFeatureNorm("RmsNorm", operands, axes, epsilon);
}

TypeResult LocalResponseNorm::Infer(const OperandTypes& operands) const {
  constexpr int64_t kMostSize = 4096;  // that the integer operator takes
  const Shape& x = operands[0].shape;
  if (x.size() < 2) return BadShape("LocalResponseNorm takes x [N, C, ...], not " + ToString(x));
  const bool sane = size >= 1 && size <= kMostSize && std::isfinite(alpha) && alpha >= 0 && beta >= 0 &&
                    beta < 64 && std::isfinite(bias) && bias > 0;
  if (!sane) return BadAttribute("LocalResponseNorm: size, alpha, beta or bias out of range");
  return operands[0];
}

}  // namespace tally::quant
