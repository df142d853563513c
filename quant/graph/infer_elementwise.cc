#include <algorithm>
#include <cmath>

#include "base/status_macros.h"
#include "quant/graph/infer_rules.h"

namespace tally::quant {

absl::StatusOr<Shape> Broadcast(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  std::copy_backward(a.begin(), a.end(), shape.end());
  for (size_t i = 1; i <= b.size(); ++i) {
    int64_t& dimension = shape[shape.size() - i];
    const int64_t other = b[b.size() - i];
    if (dimension != other && dimension != 1 && other != 1) {
      return BadShape("shapes " + ToString(a) + " and " + ToString(b) + " do not broadcast");
    }
    dimension = std::max(dimension, other);
  }
  return shape;
}

absl::Status CheckAxis(int64_t axis, size_t rank) {
  if (axis >= 0 && axis < static_cast<int64_t>(rank)) return absl::OkStatus();
  return BadAttribute("axis " + std::to_string(axis) + " is outside rank " + std::to_string(rank));
}

TypeResult Infer(const Add&, const OperandTypes& operands) {
  ASSIGN_OR_RETURN(Shape shape, Broadcast(operands[0].shape, operands[1].shape));
  return ValueType{ElementType::kFloat32, std::move(shape)};
}

TypeResult Infer(const Relu&, const OperandTypes& operands) { return operands[0]; }

TypeResult Infer(const Clip& op, const OperandTypes& operands) {
  if (!(op.low <= op.high)) return BadAttribute("Clip: low is not at most high");  // also refuses NaN
  return operands[0];
}

TypeResult Infer(const BatchNorm& op, const OperandTypes& operands) {
  const Shape& x = operands[0].shape;
  if (x.size() < 2) return BadShape("BatchNorm takes x [N, C, ...], not " + ToString(x));
  if (!std::isfinite(op.epsilon) || op.epsilon < 0)
    return BadAttribute("BatchNorm: epsilon is not a number >= 0");
  for (size_t i = 1; i < operands.size(); ++i) {
    if (operands[i].shape != Shape{x[1]}) {
      return BadShape("BatchNorm: operand " + std::to_string(i) + " " + ToString(operands[i].shape) +
                      " does not fit the channels of x " + ToString(x));
    }
  }
  return operands[0];
}

TypeResult Infer(const Softmax& op, const OperandTypes& operands) {
  RETURN_IF_ERROR(CheckAxis(op.axis, operands[0].shape.size()));
  return operands[0];
}

TypeResult Infer(const ArgMax& op, const OperandTypes& operands) {
  Shape shape = operands[0].shape;
  RETURN_IF_ERROR(CheckAxis(op.axis, shape.size()));
  if (op.keep_dimension) {
    shape[op.axis] = 1;
  } else {
    shape.erase(shape.begin() + op.axis);
  }
  return ValueType{ElementType::kInt64, std::move(shape)};
}

}  // namespace tally::quant
