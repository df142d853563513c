#include <algorithm>

#include "base/status_macros.h"
#include "quant/ops/detection/detection_ops.h"

namespace tally::quant {
namespace {

int64_t MostPerClass(const NonMaxSuppression& op, const Shape& scores) {
  return std::min(op.max_per_class, scores[2]);
}

}  // namespace

TypeResult NonMaxSuppression::Infer(const OperandTypes& operands) const {
  const Shape &boxes = operands[0].shape, &scores = operands[1].shape;
  if (boxes.size() != 3 || scores.size() != 3 || boxes[0] != scores[0] || boxes[1] != scores[2] ||
      boxes[2] != 4) {
    return BadShape("NonMaxSuppression: boxes " + ToString(boxes) + " are not [N, B, 4] for scores " +
                    ToString(scores));
  }
  if (!InRange(max_per_class, 1) || !(iou_threshold >= 0 && iou_threshold <= 1) ||
      score_threshold != score_threshold) {
    return BadAttribute("NonMaxSuppression: a limit has no meaning");
  }
  if (result == SuppressionResult::kCount) return ValueType{ElementType::kInt64, {scores[0]}};
  const int64_t lists = scores[0] * scores[1];
  return ValueType{ElementType::kInt64, {lists * MostPerClass(*this, scores), 3}};
}

std::optional<Interval> NonMaxSuppression::IntervalFrom(OperandIntervals, const OperandTypes& types) const {
  const Shape& scores = types[1].shape;
  if (result == SuppressionResult::kCount) return Interval{0, scores[1] * MostPerClass(*this, scores)};
  return Interval{-1, std::ranges::max(scores) - 1};
}

}  // namespace tally::quant
