#include <algorithm>
#include <array>
#include <vector>

#include "ops/detection/boxes.h"
#include "quant/ops/detection/detection_ops.h"

namespace tally::quant {
namespace {

using Box = detection::Box<double>;

// The boxes of one class, the best first.
std::vector<int64_t> KeptOf(const NonMaxSuppression& op, const std::vector<Box>& boxes, const float* scores) {
  std::vector<int64_t> candidates, kept;
  for (int64_t box = 0; box < std::ssize(boxes); ++box) {
    if (scores[box] > op.score_threshold) candidates.push_back(box);
  }
  std::ranges::stable_sort(candidates, [&](int64_t a, int64_t b) { return scores[a] > scores[b]; });
  for (const int64_t candidate : candidates) {
    if (std::ssize(kept) == op.max_per_class) break;
    const bool is_suppressed = std::ranges::any_of(kept, [&](int64_t better) {
      const auto overlap = detection::OverlapOf(boxes[better], boxes[candidate], 0.0);
      return detection::Suppresses(overlap, static_cast<double>(op.iou_threshold), 1.0, false);
    });
    if (!is_suppressed) kept.push_back(candidate);
  }
  return kept;
}

}  // namespace

Tensor NonMaxSuppression::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor &elements = Float(operands[0]), &scores = Float(operands[1]);
  const int64_t classes = scores.shape[1], count = scores.shape[2];
  Int64Tensor selected{shape, {}}, counts{shape, {}};
  for (int64_t image = 0; image < scores.shape[0]; ++image) {
    std::vector<Box> boxes;
    for (int64_t box = 0; box < count; ++box) {
      const float* e = elements.data.data() + (image * count + box) * 4;
      boxes.push_back(detection::BoxOf(encoding, std::array<double, 4>{e[0], e[1], e[2], e[3]}));
    }
    counts.data.push_back(0);
    for (int64_t c = 0; c < classes; ++c) {
      for (const int64_t box : KeptOf(*this, boxes, scores.data.data() + (image * classes + c) * count)) {
        selected.data.insert(selected.data.end(), {image, c, box});
        ++counts.data.back();
      }
    }
  }
  if (result == SuppressionResult::kCount) return counts;
  selected.data.resize(static_cast<size_t>(NumElements(shape)), -1);
  return selected;
}

}  // namespace tally::quant
