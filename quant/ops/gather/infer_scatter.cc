#include <algorithm>
#include <string>

#include "base/status_macros.h"
#include "quant/ops/gather/scatter_ops.h"

namespace tally::quant {
namespace {

absl::Status CheckIntegers(const char* op, const ValueType& type) {
  if (type.element == ElementType::kInt64) return absl::OkStatus();
  return MakeError(label::graph_element_type, std::string(op) + ": an operand does not hold integers");
}

// The shape that updates have; none where the indices do not fit x.
std::optional<Shape> ShapeOfUpdates(const Scatter& op, const Shape& x, const Shape& indices) {
  const auto at = [](const Shape& shape, int64_t i) { return shape.begin() + i; };
  Shape shape;
  switch (op.form) {
    case Scatter::Form::kSlices:
      shape.assign(x.begin(), at(x, op.axis));
      shape.insert(shape.end(), indices.begin(), indices.end());
      shape.insert(shape.end(), at(x, op.axis + 1), x.end());
      return shape;
    case Scatter::Form::kElements: {
      bool fits = indices.size() == x.size();
      for (size_t i = 0; fits && i < x.size(); ++i) {
        fits = static_cast<int64_t>(i) == op.axis || indices[i] <= x[i];
      }
      return fits ? std::optional(indices) : std::nullopt;
    }
    case Scatter::Form::kTuples: break;
  }
  if (indices.empty() || indices.back() > static_cast<int64_t>(x.size())) return std::nullopt;
  shape.assign(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), at(x, indices.back()), x.end());
  return shape;
}

}  // namespace

TypeResult Scatter::Infer(const OperandTypes& operands) const {
  const Shape &x = operands[0].shape, &indices = operands[1].shape;
  RETURN_IF_ERROR(CheckIntegers("Scatter", operands[1]));
  if (operands[0].element != operands[2].element) {
    return MakeError(label::graph_element_type, "Scatter: x and updates differ in element type");
  }
  if (form != Form::kTuples) RETURN_IF_ERROR(CheckAxis(axis, x.size()));
  if (kind == ScatterKind::kMul && operands[0].element == ElementType::kFloat32) {
    return BadAttribute("Scatter multiplies integers only");
  }
  if (ShapeOfUpdates(*this, x, indices) != operands[2].shape) {
    return BadShape("Scatter: indices " + ToString(indices) + " and updates " + ToString(operands[2].shape) +
                    " do not fit " + ToString(x));
  }
  return operands[0];
}

std::optional<Interval> Scatter::IntervalFrom(OperandIntervals operands, const OperandTypes& types) const {
  if (!operands[0].has_value() || !operands[2].has_value()) return std::nullopt;
  const auto [x_lo, x_hi] = *operands[0];
  const auto [u_lo, u_hi] = *operands[2];
  const __int128 count = NumElements(types[1].shape);
  const __int128 low = std::min<int64_t>(u_lo, 0), high = std::max<int64_t>(u_hi, 0);
  switch (kind) {
    case ScatterKind::kUpdate: return operands[0]->Hull(*operands[2]);
    case ScatterKind::kMax: return Interval{x_lo, std::max(x_hi, u_hi)};
    case ScatterKind::kMin: return Interval{std::min(x_lo, u_lo), x_hi};
    case ScatterKind::kAdd: return IntervalWithin(x_lo + count * low, x_hi + count * high);
    case ScatterKind::kSub: return IntervalWithin(x_lo - count * high, x_hi - count * low);
    case ScatterKind::kMul: break;
  }
  __int128 most = std::max(__int128{x_hi}, -__int128{x_lo});
  const __int128 factor = std::max(__int128{u_hi}, -__int128{u_lo});
  for (__int128 i = 0; i < count && factor > 1; ++i) {
    most *= factor;
    if (most > __int128{1} << 62) return std::nullopt;
  }
  return IntervalWithin(-most, most);
}

TypeResult GatherTree::Infer(const OperandTypes& operands) const {
  for (const ValueType& type : operands) RETURN_IF_ERROR(CheckIntegers("GatherTree", type));
  const Shape& steps = operands[0].shape;
  if (steps.size() != 3 || operands[1].shape != steps || operands[2].shape != Shape{steps[1]} ||
      NumElements(operands[3].shape) != 1) {
    return BadShape("GatherTree takes ids and parents [T, B, W], lengths [B] and one end, not " +
                    ToString(steps) + ", " + ToString(operands[1].shape) + ", " +
                    ToString(operands[2].shape) + " and " + ToString(operands[3].shape));
  }
  return operands[0];
}

std::optional<Interval> GatherTree::IntervalFrom(OperandIntervals operands, const OperandTypes&) const {
  if (!operands[0].has_value() || !operands[3].has_value()) return std::nullopt;
  return operands[0]->Hull(*operands[3]);
}

TypeResult NonZero::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  if (x.empty()) return BadShape("NonZero takes no scalar");
  if (bound < 1 || bound > NumElements(x)) {
    return BadAttribute("NonZero: a bound of " + std::to_string(bound) + " for " + ToString(x));
  }
  if (result == NonZeroResult::kCount) return ValueType{ElementType::kInt64, {}};
  return ValueType{ElementType::kInt64, {bound, static_cast<int64_t>(x.size())}};
}

std::optional<Interval> NonZero::IntervalFrom(OperandIntervals, const OperandTypes& types) const {
  if (result == NonZeroResult::kCount) return Interval{0, NumElements(types[0].shape)};
  return Interval{-1, *std::ranges::max_element(types[0].shape) - 1};
}

}  // namespace tally::quant
