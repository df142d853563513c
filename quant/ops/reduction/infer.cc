#include <utility>

#include "base/status_macros.h"
#include "quant/ops/reduction/reduction_ops.h"

namespace tally::quant {
namespace {

TypeResult InferReduced(Shape shape, const std::vector<int64_t>& axes, bool keep_dimensions) {
  RETURN_IF_ERROR(CheckAxes(axes, shape.size()));
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (keep_dimensions) {
      shape[*axis] = 1;
    } else {
      shape.erase(shape.begin() + *axis);
    }
  }
  return ValueType{ElementType::kFloat32, std::move(shape)};
}

}  // namespace

TypeResult ArgExtreme::Infer(const OperandTypes& operands) const {
  Shape shape = operands[0].shape;
  RETURN_IF_ERROR(CheckAxis(axis, shape.size()));
  if (keep_dimension) {
    shape[axis] = 1;
  } else {
    shape.erase(shape.begin() + axis);
  }
  return ValueType{ElementType::kInt64, std::move(shape)};
}

std::optional<Interval> ArgExtreme::IntervalFrom(OperandIntervals, const OperandTypes& types) const {
  return Interval{0, types[0].shape[axis] - 1};
}

TypeResult ReduceSum::Infer(const OperandTypes& operands) const {
  return InferReduced(operands[0].shape, axes, keep_dimensions);
}

TypeResult ReduceExtreme::Infer(const OperandTypes& operands) const {
  return InferReduced(operands[0].shape, axes, keep_dimensions);
}

}  // namespace tally::quant
