#include <cmath>
#include <utility>
#include <vector>

#include "base/int_math.h"
#include "base/status_macros.h"
#include "quant/ops/layout/layout_ops.h"

namespace tally::quant {
namespace {

TypeResult InferPadded(std::string_view op, ValueType x, const std::vector<int64_t>& before,
                       const std::vector<int64_t>& after) {
  if (before.size() != x.shape.size() || after.size() != x.shape.size()) {
    return BadAttribute(std::string(op) + ": the pads are not those of the axes of " + ToString(x.shape));
  }
  for (size_t i = 0; i < before.size(); ++i) {
    if (!InRange(before[i], 0) || !InRange(after[i], 0)) {
      return BadAttribute(std::string(op) + ": pad out of range");
    }
    x.shape[i] += before[i] + after[i];
  }
  return x;
}

}  // namespace

TypeResult Reshape::Infer(const OperandTypes& operands) const {
  const ValueType& x = operands[0];
  RETURN_IF_ERROR(CheckShape(shape));
  if (NumElements(shape) != NumElements(x.shape)) {
    return BadShape("Reshape: " + ToString(x.shape) + " and " + ToString(shape) + " differ in size");
  }
  return ValueType{x.element, shape};
}

TypeResult Transpose::Infer(const OperandTypes& operands) const {
  const ValueType& x = operands[0];
  const size_t rank = x.shape.size();
  std::vector<bool> seen(rank, false);
  Shape shape;
  for (const int64_t axis : permutation) {
    RETURN_IF_ERROR(CheckAxis(axis, rank));
    if (seen[axis]) return BadAttribute("Transpose: axis " + std::to_string(axis) + " occurs twice");
    seen[axis] = true;
    shape.push_back(x.shape[axis]);
  }
  if (shape.size() != rank) {
    return BadAttribute("Transpose: the permutation has " + std::to_string(shape.size()) + " axes, x has " +
                        std::to_string(rank));
  }
  return ValueType{x.element, std::move(shape)};
}

TypeResult Concat::Infer(const OperandTypes& operands) const {
  ValueType result = operands[0];
  RETURN_IF_ERROR(CheckAxis(axis, result.shape.size()));
  for (size_t i = 1; i < operands.size(); ++i) {
    if (operands[i].element != result.element) {
      return MakeError(label::graph_element_type, "Concat: operands differ in element type");
    }
    Shape expected = result.shape;
    const Shape& shape = operands[i].shape;
    if (shape.size() == expected.size()) expected[axis] = shape[axis];
    if (shape != expected) {
      return BadShape("Concat: operands " + ToString(operands[0].shape) + " and " + ToString(shape) +
                      " differ beside axis " + std::to_string(axis));
    }
    result.shape[axis] += shape[axis];
    if (result.shape[axis] > kMaxElements)
      return MakeError(label::graph_size, "Concat: the result is too large");
  }
  return result;
}

std::optional<Interval> Concat::IntervalFrom(OperandIntervals operands, const OperandTypes&) const {
  std::optional<Interval> all = operands[0];
  for (const std::optional<Interval>& interval : operands) {
    if (!interval.has_value()) return std::nullopt;
    all = all->Hull(*interval);
  }
  return all;
}

TypeResult Slice::Infer(const OperandTypes& operands) const {
  ValueType y = operands[0];
  const size_t rank = y.shape.size();
  if (begin.size() != rank || end.size() != rank || step.size() != rank) {
    return BadAttribute("Slice: begin, end and step do not have one entry for each axis of " +
                        ToString(y.shape));
  }
  for (size_t i = 0; i < rank; ++i) {
    const bool forward = step[i] > 0;
    const int64_t size = y.shape[i];
    if (step[i] == 0 || step[i] < -kMaxAttribute || step[i] > kMaxAttribute || begin[i] < 0 ||
        begin[i] >= size || end[i] < -1 || end[i] > size ||
        (forward ? end[i] <= begin[i] : end[i] >= begin[i])) {
      return BadAttribute("Slice: from " + std::to_string(begin[i]) + " to " + std::to_string(end[i]) +
                          " in steps of " + std::to_string(step[i]) + " is not a part of " +
                          std::to_string(size) + " elements");
    }
    y.shape[i] = forward ? CeilDiv(end[i] - begin[i], step[i]) : CeilDiv(begin[i] - end[i], -step[i]);
  }
  return y;
}

TypeResult Pad::Infer(const OperandTypes& operands) const {
  return InferPadded("Pad", operands[0], before, after);
}

TypeResult PadConstant::Infer(const OperandTypes& operands) const {
  if (!std::isfinite(value)) return BadAttribute("PadConstant: the value is not finite");
  return InferPadded("PadConstant", operands[0], before, after);
}

TypeResult AppendChannel::Infer(const OperandTypes& operands) const {
  ValueType y = operands[0];
  if (!std::isfinite(value)) return BadAttribute("AppendChannel: the value is not finite");
  if (y.shape.size() < 2) return BadShape("AppendChannel: " + ToString(y.shape) + " has no channels");
  ++y.shape[1];
  return y;
}

TypeResult Expand::Infer(const OperandTypes& operands) const {
  const ValueType& x = operands[0];
  RETURN_IF_ERROR(CheckShape(shape));
  ASSIGN_OR_RETURN(const Shape both, Broadcast(x.shape, shape));
  if (both != shape) return BadShape("Expand: " + ToString(x.shape) + " does not become " + ToString(shape));
  return ValueType{x.element, shape};
}

TypeResult Tile::Infer(const OperandTypes& operands) const {
  constexpr int64_t kMost = 4096;
  ValueType y = operands[0];
  if (repeats.size() != y.shape.size()) {
    return BadAttribute("Tile: there are " + std::to_string(repeats.size()) + " repeats of the axes of " +
                        ToString(y.shape));
  }
  for (size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] < 1 || repeats[i] > kMost)
      return BadAttribute("Tile: " + std::to_string(repeats[i]) + " copies are not 1 to 4096");
    y.shape[i] *= repeats[i];
  }
  return y;
}

TypeResult Constant::Infer(const OperandTypes&) const { return TypeOf(*value); }

}  // namespace tally::quant
