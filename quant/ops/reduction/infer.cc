#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "quant/ops/groups.h"
#include "quant/ops/reduction/reduction_ops.h"

namespace tally::quant {
namespace {

TypeResult InferReduced(const ValueType& x, const std::vector<int64_t>& axes, bool keep_dimensions) {
  Shape shape = x.shape;
  RETURN_IF_ERROR(CheckAxes(axes, shape.size()));
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (keep_dimensions) {
      shape[*axis] = 1;
    } else {
      shape.erase(shape.begin() + *axis);
    }
  }
  return ValueType{x.element, std::move(shape)};
}

std::optional<Interval> IntervalOfProduct(const Interval& x, int64_t count) {
  constexpr __int128 kMost = __int128{1} << 62;
  __int128 most = 1;
  const __int128 largest = std::max(__int128{x.hi}, -__int128{x.lo});
  for (int64_t i = 0; i < count && largest > 1; ++i) {
    most *= largest;
    if (most > kMost) return std::nullopt;
  }
  return IntervalWithin(x.lo < 0 ? -most : 0, most);
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
  if (is_mean && operands[0].element != ElementType::kFloat32) {
    return MakeError(label::graph_element_type,
                     "ReduceSum: a mean wants floats, and its operand holds integers");
  }
  return InferReduced(operands[0], axes, keep_dimensions);
}

std::optional<Interval> ReduceSum::IntervalFrom(OperandIntervals operands, const OperandTypes& types) const {
  if (!operands[0].has_value()) return std::nullopt;
  const int64_t count = GroupSize(types[0].shape, axes);
  return IntervalWithin(__int128{operands[0]->lo} * count, __int128{operands[0]->hi} * count);
}

TypeResult ReduceExtreme::Infer(const OperandTypes& operands) const {
  return InferReduced(operands[0], axes, keep_dimensions);
}

std::optional<Interval> ReduceExtreme::IntervalFrom(OperandIntervals operands, const OperandTypes&) const {
  return operands[0];
}

TypeResult ReduceProduct::Infer(const OperandTypes& operands) const {
  if (operands[0].element != ElementType::kInt64) {
    return MakeError(label::graph_element_type, "ReduceProduct takes integers");
  }
  return InferReduced(operands[0], axes, keep_dimensions);
}

std::optional<Interval> ReduceProduct::IntervalFrom(OperandIntervals operands,
                                                    const OperandTypes& types) const {
  if (!operands[0].has_value()) return std::nullopt;
  return IntervalOfProduct(*operands[0], GroupSize(types[0].shape, axes));
}

}  // namespace tally::quant
