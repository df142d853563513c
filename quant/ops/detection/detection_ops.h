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

// boxes [N, B, 4], or [N, C, B, 4] where each class has its own, scores [N, C, B] -> the best boxes of each
// image and class, the one in front among equals, that share no more than `iou_threshold` of their union with
// a better one that is taken. Of these the `max_per_image` best, those of a class before as good ones of the
// next.
struct NonMaxSuppression {
  static constexpr OpTraits kTraits = {.name = "NonMaxSuppression", .least = 2, .most = 2};
  BoxEncoding encoding = BoxEncoding::kCorners;
  int64_t max_per_class = 1;
  float iou_threshold = 0.5f;                                       // in [0, 1]
  float score_threshold = -std::numeric_limits<float>::infinity();  // only larger scores are looked at
  SuppressionResult result = SuppressionResult::kSelected;
  int64_t top_k = kMaxAttribute;  // boxes of a class that are looked at, the best
  int64_t max_per_image = kMaxAttribute;
  float side_offset = 0;          // 1 where the high corner is the last pixel of a box
  bool are_images_apart = false;  // all images have as many rows, instead of one after the other
  bool mixes_classes = false;     // rows of an image by their scores, instead of class by class

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  // How many rows an image has at most.
  int64_t MostRows(const Shape& scores) const;
  // In steps of 8 bits boxes would be coarse, and many scores equal.
  static bool ReadsWide(size_t) { return true; }
  bool operator==(const NonMaxSuppression&) const = default;
};

// deltas [.., P, 4], priors of corners (x1, y1, x2, y2), [P, 4] or as deltas -> corners, in the shape of
// deltas. Along x, and y alike, with side = x2 - x1:
//   middle = (x1 + x2) / 2 + delta[0] * center_variance * side
//   length = exp(delta[2] * size_variance) * side
// and the corners are middle - length / 2 and middle + length / 2.
struct BoxDecode {
  static constexpr OpTraits kTraits = {.name = "BoxDecode", .least = 2, .most = 2, .rounds = true};
  float center_variance = 1;
  float size_variance = 1;
  float side_offset = 0;  // added to the sides of priors, whose middles move by half of it

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  // An error of a step of 8 bits would be some pixels.
  static bool ReadsWide(size_t) { return true; }
  bool operator==(const BoxDecode&) const = default;
};

// Which of its results a node yields; lowering writes one instruction for both.
enum class CtcResult {
  kSymbols,  // [N, T]: the classes in their order, then -1
  kLength,   // [N]: how many there are
};

// x [T, N, C], [mask [T, N] int64, 0 ends a sequence] -> the best class of each step, the lowest of equals,
// without `blank` and, with merge_repeated, without those that follow themselves.
struct CtcGreedyDecoder {
  static constexpr OpTraits kTraits = {
      .name = "CtcGreedyDecoder", .least = 1, .most = 2, .takes_integers = true, .reads_wide = true};
  int64_t blank = 0;
  bool merge_repeated = true;
  CtcResult result = CtcResult::kSymbols;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  bool operator==(const CtcGreedyDecoder&) const = default;
};

}  // namespace tally::quant
