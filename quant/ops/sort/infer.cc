#include <utility>

#include "base/status_macros.h"
#include "quant/ops/sort/sort_ops.h"

namespace tally::quant {

TypeResult TopK::Infer(const OperandTypes& operands) const {
  ValueType type = operands[0];
  RETURN_IF_ERROR(CheckAxis(axis, type.shape.size()));
  int64_t& size = type.shape[static_cast<size_t>(axis)];
  if (k < 1 || k > size) {
    return BadShape("TopK: " + std::to_string(k) + " of " + std::to_string(size) + " elements");
  }
  size = k;
  if (result == TopKResult::kIndices) type.element = ElementType::kInt64;
  return type;
}

std::optional<Interval> TopK::IntervalFrom(OperandIntervals operands, const OperandTypes& types) const {
  if (result == TopKResult::kValues) return operands[0];
  return Interval{0, types[0].shape[static_cast<size_t>(axis)] - 1};
}

}  // namespace tally::quant
