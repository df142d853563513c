#include <algorithm>

#include "base/status_macros.h"
#include "quant/ops/detection/detection_ops.h"

namespace tally::quant {
int64_t NonMaxSuppression::MostRows(const Shape& scores) const {
  return std::min(scores[1] * std::min({max_per_class, top_k, scores[2]}), max_per_image);
}

TypeResult NonMaxSuppression::Infer(const OperandTypes& operands) const {
  const Shape &boxes = operands[0].shape, &scores = operands[1].shape;
  if (scores.size() != 3 ||
      (boxes != Shape{scores[0], scores[2], 4} && boxes != Shape{scores[0], scores[1], scores[2], 4})) {
    return BadShape("NonMaxSuppression: boxes " + ToString(boxes) +
                    " are not [N, B, 4] nor [N, C, B, 4] for scores " + ToString(scores));
  }
  if (!InRange(max_per_class, 1) || !InRange(top_k, 1) || !InRange(max_per_image, 1) ||
      !(side_offset >= 0 && side_offset <= 0x1p20f) || !(iou_threshold >= 0 && iou_threshold <= 1) ||
      score_threshold != score_threshold) {
    return BadAttribute("NonMaxSuppression: a limit has no meaning");
  }
  if (result == SuppressionResult::kCount) return ValueType{ElementType::kInt64, {scores[0]}};
  return ValueType{ElementType::kInt64, {scores[0] * MostRows(scores), 3}};
}

std::optional<Interval> NonMaxSuppression::IntervalFrom(OperandIntervals, const OperandTypes& types) const {
  const Shape& scores = types[1].shape;
  if (result == SuppressionResult::kCount) return Interval{0, MostRows(scores)};
  return Interval{-1, std::ranges::max(scores) - 1};
}

TypeResult BoxDecode::Infer(const OperandTypes& operands) const {
  const Shape &deltas = operands[0].shape, &priors = operands[1].shape;
  if (deltas.size() < 2 || deltas.back() != 4 ||
      (priors != deltas && priors != Shape{deltas[deltas.size() - 2], 4})) {
    return BadShape("BoxDecode: priors " + ToString(priors) + " are not [P, 4] nor as deltas " +
                    ToString(deltas));
  }
  for (const float number : {center_variance, size_variance}) {
    if (!(number >= 0x1p-20f && number <= 0x1p10f)) return BadAttribute("BoxDecode: variance out of range");
  }
  if (!(side_offset >= 0 && side_offset <= 0x1p20f)) {
    return BadAttribute("BoxDecode: side_offset out of range");
  }
  return operands[0];
}

}  // namespace tally::quant
