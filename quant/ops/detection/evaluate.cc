#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "ops/detection/boxes.h"
#include "quant/ops/detection/detection_ops.h"

namespace tally::quant {
namespace {

using Box = detection::Box<double>;

struct Row {
  int64_t of_class, box;
  float score;
};

// The rows of one class, the best first.
void AppendKept(const NonMaxSuppression& op, const std::vector<Box>& boxes, const float* scores,
                int64_t of_class, std::vector<Row>& rows) {
  // Boxes of centers are twice as large.
  const double offset = op.side_offset * (op.encoding == BoxEncoding::kCenter ? 2.0 : 1.0);
  std::vector<int64_t> candidates, kept;
  for (int64_t box = 0; box < std::ssize(boxes); ++box) {
    if (scores[box] > op.score_threshold) candidates.push_back(box);
  }
  std::ranges::stable_sort(candidates, [&](int64_t a, int64_t b) { return scores[a] > scores[b]; });
  if (std::ssize(candidates) > op.top_k) candidates.resize(static_cast<size_t>(op.top_k));
  for (const int64_t candidate : candidates) {
    if (std::ssize(kept) == op.max_per_class) break;
    const bool is_suppressed = std::ranges::any_of(kept, [&](int64_t better) {
      const auto overlap = detection::OverlapOf(boxes[better], boxes[candidate], offset);
      return detection::Suppresses(overlap, static_cast<double>(op.iou_threshold), 1.0, false);
    });
    if (is_suppressed) continue;
    kept.push_back(candidate);
    rows.push_back({of_class, candidate, scores[candidate]});
  }
}

// The best of an image, in the order that they had or by their scores.
void KeepBest(const NonMaxSuppression& op, std::vector<Row>& rows) {
  if (std::ssize(rows) <= op.max_per_image && !op.mixes_classes) return;
  std::ranges::stable_sort(rows, std::ranges::greater(), &Row::score);
  if (std::ssize(rows) > op.max_per_image) rows.resize(static_cast<size_t>(op.max_per_image));
  if (!op.mixes_classes) std::ranges::stable_sort(rows, std::ranges::less(), &Row::of_class);
}

}  // namespace

Tensor NonMaxSuppression::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor &elements = Float(operands[0]), &scores = Float(operands[1]);
  const int64_t classes = scores.shape[1], count = scores.shape[2];
  Int64Tensor selected{shape, {}}, counts{shape, {}};
  const bool is_shared = elements.shape.size() == 3;
  const int64_t most = MostRows(scores.shape);
  for (int64_t image = 0; image < scores.shape[0]; ++image) {
    std::vector<Box> boxes;
    std::vector<Row> rows;
    for (int64_t c = 0; c < classes; ++c) {
      if (c == 0 || !is_shared) {
        boxes.clear();
        const int64_t first = (is_shared ? image : image * classes + c) * count;
        for (int64_t box = 0; box < count; ++box) {
          const float* e = elements.data.data() + (first + box) * 4;
          boxes.push_back(detection::BoxOf(encoding, std::array<double, 4>{e[0], e[1], e[2], e[3]}));
        }
      }
      AppendKept(*this, boxes, scores.data.data() + (image * classes + c) * count, c, rows);
    }
    KeepBest(*this, rows);
    counts.data.push_back(std::ssize(rows));
    for (const Row& row : rows) selected.data.insert(selected.data.end(), {image, row.of_class, row.box});
    if (are_images_apart) selected.data.resize(static_cast<size_t>((image + 1) * most * 3), -1);
  }
  if (result == SuppressionResult::kCount) return counts;
  selected.data.resize(static_cast<size_t>(NumElements(shape)), -1);
  return selected;
}

Tensor BoxDecode::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor &deltas = Float(operands[0]), &priors = Float(operands[1]);
  FloatTensor y = ZeroTensor(shape);
  for (size_t box = 0; box < y.data.size(); box += 4) {
    for (size_t axis = box; axis < box + 2; ++axis) {
      const float* prior = priors.data.data() + axis % priors.data.size();
      const double first = prior[0], last = prior[2], side = last - first + side_offset;
      const double middle = (first + last + side_offset) / 2 + deltas.data[axis] * center_variance * side;
      const double length = std::exp(static_cast<double>(deltas.data[axis + 2]) * size_variance) * side;
      y.data[axis] = static_cast<float>(middle - length / 2);
      y.data[axis + 2] = static_cast<float>(middle + length / 2);
    }
  }
  return y;
}

}  // namespace tally::quant
