#include <algorithm>
#include <cmath>
#include <utility>

#include "base/status_macros.h"
#include "quant/ops/integer/integer_ops.h"

namespace tally::quant {
namespace {

constexpr Interval kFlags = {0, 1};
absl::Status CheckInteger(std::string_view op, const ValueType& type) {
  if (type.element == ElementType::kInt64) return absl::OkStatus();
  return MakeError(label::graph_element_type, std::string(op) + " takes integers here, not floats");
}

absl::Status CheckAlike(std::string_view op, const ValueType& a, const ValueType& b) {
  if (a.element == b.element) return absl::OkStatus();
  return MakeError(label::graph_element_type, std::string(op) + ": one operand holds floats, one integers");
}

}  // namespace

TypeResult ToFloat::Infer(const OperandTypes& operands) const {
  RETURN_IF_ERROR(CheckInteger("ToFloat", operands[0]));
  return ValueType{ElementType::kFloat32, operands[0].shape};
}

TypeResult ToInteger::Infer(const OperandTypes& operands) const {
  if (!kBounds.Contains(bounds) || bounds.lo > bounds.hi) {
    return BadAttribute("ToInteger: bounds " + bounds.ToString() + " are empty or beyond 32 bits");
  }
  return ValueType{ElementType::kInt64, operands[0].shape};
}

std::optional<Interval> ToInteger::IntervalFrom(OperandIntervals, const OperandTypes&) const {
  return bounds;
}

int64_t ToInteger::Of(double real) const {
  if (std::isnan(real)) return std::clamp<int64_t>(0, bounds.lo, bounds.hi);
  return static_cast<int64_t>(
      std::trunc(std::clamp(real, static_cast<double>(bounds.lo), static_cast<double>(bounds.hi))));
}

TypeResult Compare::Infer(const OperandTypes& operands) const {
  RETURN_IF_ERROR(CheckAlike("Compare", operands[0], operands[1]));
  ASSIGN_OR_RETURN(Shape shape, Broadcast(operands[0].shape, operands[1].shape));
  return ValueType{ElementType::kInt64, std::move(shape)};
}

std::optional<Interval> Compare::IntervalFrom(OperandIntervals, const OperandTypes&) const { return kFlags; }

TypeResult IntegerArithmetic::Infer(const OperandTypes& operands) const {
  for (const ValueType& type : operands) RETURN_IF_ERROR(CheckInteger("IntegerArithmetic", type));
  ASSIGN_OR_RETURN(Shape shape, Broadcast(operands[0].shape, operands[1].shape));
  return ValueType{ElementType::kInt64, std::move(shape)};
}

TypeResult CumulativeSum::Infer(const OperandTypes& operands) const {
  RETURN_IF_ERROR(CheckAxis(axis, operands[0].shape.size()));
  return operands[0];
}

std::optional<Interval> CumulativeSum::IntervalFrom(OperandIntervals operands,
                                                    const OperandTypes& types) const {
  if (!operands[0].has_value()) return std::nullopt;
  const __int128 most = types[0].shape[static_cast<size_t>(axis)], least = exclusive ? 0 : 1;
  const auto [lo, hi] = *operands[0];
  return IntervalWithin(std::min(lo * most, lo * least), std::max(hi * most, hi * least));
}

TypeResult Where::Infer(const OperandTypes& operands) const {
  RETURN_IF_ERROR(CheckInteger("Where", operands[0]));
  RETURN_IF_ERROR(CheckAlike("Where", operands[1], operands[2]));
  ASSIGN_OR_RETURN(Shape shape, Broadcast(operands[1].shape, operands[2].shape));
  ASSIGN_OR_RETURN(shape, Broadcast(shape, operands[0].shape));
  return ValueType{operands[1].element, std::move(shape)};
}

std::optional<Interval> Where::IntervalFrom(OperandIntervals operands, const OperandTypes&) const {
  if (!operands[1].has_value() || !operands[2].has_value()) return std::nullopt;
  return operands[1]->Hull(*operands[2]);
}

TypeResult Lookup::Infer(const OperandTypes& operands) const {
  RETURN_IF_ERROR(CheckInteger("Lookup", operands[0]));
  const Shape& list = ShapeOf(values);
  const bool is_filled = std::visit(
      [&](const auto& dense) {
        return list.size() == 1 && list[0] >= 1 && dense.data.size() == static_cast<size_t>(list[0]) &&
               std::ranges::all_of(dense.data, [](auto v) { return std::isfinite(static_cast<double>(v)); });
      },
      values);
  if (!is_filled) return BadAttribute("Lookup: the values are not a list of finite numbers");
  return ValueType{ElementTypeOf(values), operands[0].shape};
}

std::optional<Interval> Lookup::IntervalFrom(OperandIntervals, const OperandTypes&) const {
  const auto* integers = std::get_if<Int64Tensor>(&values);
  if (integers == nullptr) return std::nullopt;
  const auto [lo, hi] = std::ranges::minmax(integers->data);
  return IntervalWithin(lo, hi);
}

TypeResult Masked::Infer(const OperandTypes& operands) const {
  if (operands[0].element != ElementType::kFloat32) {
    return MakeError(label::graph_element_type, "Masked takes floats to hide");
  }
  RETURN_IF_ERROR(CheckInteger("Masked", operands[1]));
  ASSIGN_OR_RETURN(const Shape shape, Broadcast(operands[0].shape, operands[1].shape));
  if (shape != operands[0].shape) {
    return BadShape("Masked: " + ToString(operands[1].shape) + " does not broadcast to " +
                    ToString(operands[0].shape));
  }
  return operands[0];
}

}  // namespace tally::quant
