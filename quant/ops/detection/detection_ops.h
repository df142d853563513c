// Operators that choose boxes.
#pragma once

#include <cstdint>
#include <limits>

#include "ops/detection/attrs.h"
#include "quant/ops/op_traits.h"

namespace tally::quant {

// Which of its results a node yields; lowering writes one instruction for both.
enum class SuppressionResult {
  kSelected,  // rows (image, class, box), image by image, the classes of each in order, the best boxes first; then rows of -1
  kCount,     // [N]: how many rows each image has
};

// boxes [N, B, 4], scores [N, C, B] -> of each image and class the best boxes, of equals the one in front,
// that share no more than `iou_threshold` of their union with a better one that is taken.
struct NonMaxSuppression {
  static constexpr OpTraits kTraits = {.name = "NonMaxSuppression", .least = 2, .most = 2};
  BoxEncoding encoding = BoxEncoding::kCorners;
  int64_t max_per_class = 1;
  float iou_threshold = 0.5f;                                       // in [0, 1]
  float score_threshold = -std::numeric_limits<float>::infinity();  // only larger scores are looked at
  SuppressionResult result = SuppressionResult::kSelected;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  // In steps of 8 bits boxes would be coarse, and many scores equal.
  static bool ReadsWide(size_t) { return true; }
  bool operator==(const NonMaxSuppression&) const = default;
};

}  // namespace tally::quant
