#include <algorithm>
#include <cmath>

#include "base/status_macros.h"
#include "quant/lower/lowering.h"
#include "quant/lower/twin.h"
#include "quant/ops/detection/detection_ops.h"

namespace tally::quant {
namespace {

// With areas of 34 bits, of centers in 16 bits, products with the threshold keep within 63.
constexpr int kThresholdBits = 24;

// The least code that stands for more than `threshold`.
int64_t LeastScore(float threshold, const QuantizedType& scores) {
  const Interval limit = TensorLimit(Profile::kCore);
  const double code = std::floor(threshold / scores.scale) + 1 + static_cast<double>(scores.zero_point);
  return static_cast<int64_t>(std::clamp(code, static_cast<double>(limit.lo), static_cast<double>(limit.hi)));
}

}  // namespace

// A zero point moves corners alike, and so no ratio of areas; centers and sides it does not.
LoweredResult NonMaxSuppression::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  const auto offset = static_cast<tally::ValueId>(result);
  const auto twin = FirstResultOfTwin(
      lowering, node, *this, [](NonMaxSuppression& of) -> SuppressionResult& { return of.result; },
      [](const Node&) { return true; });
  if (twin.has_value()) return *twin + offset;
  ASSIGN_OR_RETURN(Lowered boxes, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(boxes, lowering.Within16Bits(boxes));
  if (encoding == BoxEncoding::kCenter) {
    ASSIGN_OR_RETURN(boxes, lowering.Centered(boxes));
  }
  ASSIGN_OR_RETURN(const Lowered scores, lowering.Operand(node, 1));
  const NmsAttrs attrs = {
      .encoding = encoding,
      .side_offset = std::llround(side_offset / boxes.type.scale),
      .iou_numerator = std::llround(std::ldexp(static_cast<double>(iou_threshold), kThresholdBits)),
      .iou_denominator = int64_t{1} << kThresholdBits,
      .min_score = LeastScore(score_threshold, scores.type),
      .top_k = top_k,
      .max_per_class = max_per_class,
      .max_per_batch = max_per_image,
      .order = mixes_classes ? NmsOrder::kScore : NmsOrder::kClass,
      .batches = are_images_apart ? NmsBatches::kApart : NmsBatches::kPacked,
  };
  return lowering.builder().Op(Opcode::kNms, {boxes.id, scores.id}, attrs) + offset;
}

}  // namespace tally::quant
