#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/detection.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/compositions/selected_boxes.h"
#include "frontends/graph/compositions/selection.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Shape;

// Corners of the anchors of all cells, [H * W * K, 4], the scales of a ratio one after the other.
FloatTensor Anchors(const ProposalOptions& how, int64_t height, int64_t width) {
  const auto base = static_cast<double>(how.base_size);
  const bool swaps = how.placing == ProposalOptions::Placing::kCornersSwapped;
  std::vector<std::pair<double, double>> sides;  // across and down
  for (const float ratio : how.ratios) {
    double across = base / std::sqrt(static_cast<double>(ratio));
    if (how.round_ratios) across = std::round(across);
    double down = how.round_ratios ? std::round(across * ratio) : across * ratio;
    for (const float scale : how.scales) sides.emplace_back(across * scale, down * scale);
  }
  FloatTensor anchors{{height * width * std::ssize(sides), 4}, {}};
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      const double middle_x =
          swaps ? static_cast<double>(y * how.stride) : base / 2 + static_cast<double>(x * how.stride);
      const double middle_y =
          swaps ? static_cast<double>(x * how.stride) : base / 2 + static_cast<double>(y * how.stride);
      for (const auto& [across, down] : sides) {
        const double corners[] = {middle_x - across / 2, middle_y - down / 2,
                                  middle_x + across / 2 - how.pixel, middle_y + down / 2 - how.pixel};
        for (size_t i = 0; i < 4; ++i) {
          const double last = (i % 2 == 0 ? how.width : how.height) - how.pixel;
          anchors.data.push_back(static_cast<float>(swaps ? std::clamp(corners[i], 0.0, last) : corners[i]));
        }
      }
    }
  }
  return anchors;
}

// x [N, K * n, H, W], n numbers of each anchor in a row -> [N, H * W * K, n].
absl::StatusOr<Operand> ByAnchor(Emitter& emitter, const Operand& x, int64_t anchors, std::string_view step) {
  const Shape& s = x.shape();
  const int64_t numbers = s[1] / anchors;
  ASSIGN_OR_RETURN(const Operand split,
                   InShape(emitter, x, {s[0], anchors, numbers, s[2], s[3]}, "of_anchors"));
  ASSIGN_OR_RETURN(const Operand moved, emitter.Emit(quant::Transpose{{0, 3, 4, 1, 2}}, {split}, "by_cell"));
  return InShape(emitter, moved, {s[0], s[2] * s[3] * anchors, numbers}, step);
}

// Scores [N, 1, B], 0 where a side of a box is too short.
absl::StatusOr<Operand> WhereLarge(Emitter& emitter, const Operand& scores, const Operand& boxes,
                                   const ProposalOptions& how) {
  ASSIGN_OR_RETURN(const Operand first, Part(emitter, boxes, 2, 0, 2, "first"));
  ASSIGN_OR_RETURN(const Operand last, Part(emitter, boxes, 2, 2, 4, "last"));
  ASSIGN_OR_RETURN(const Operand sides, emitter.Emit(quant::Sub{}, {last, first}, "sides"));
  ASSIGN_OR_RETURN(
      const Operand least,
      emitter.NewConstant(FloatTensor{{2}, {how.least_width - how.pixel, how.least_height - how.pixel}},
                          "least"));
  ASSIGN_OR_RETURN(const Operand are_long,
                   emitter.Emit(quant::Compare{Comparison::kGreaterEqual}, {sides, least}, "are_long"));
  ASSIGN_OR_RETURN(const Operand both,
                   emitter.Emit(quant::ReduceExtreme{{2}, false, /*is_min=*/true}, {are_long}, "both"));
  const Shape& s = boxes.shape();
  ASSIGN_OR_RETURN(const Operand flags, InShape(emitter, both, {s[0], 1, s[1]}, "flags"));
  ASSIGN_OR_RETURN(const Operand nothing, emitter.NewConstant(0.0f, "nothing"));
  return emitter.Emit(quant::Where{}, {flags, scores, nothing}, "scores");
}

}  // namespace

absl::StatusOr<Detections> Proposal(Emitter& emitter, const Operand& probabilities, const Operand& deltas,
                                    const ProposalOptions& how) {
  const Shape &p = probabilities.shape(), &d = deltas.shape();
  const int64_t anchors = std::ssize(how.ratios) * std::ssize(how.scales);
  if (p.size() != 4 || anchors == 0 || p[1] != 2 * anchors || d != Shape{p[0], 4 * anchors, p[2], p[3]}) {
    return MakeError(label::model_shape, "probabilities " + quant::ToString(p) + " and box deltas " +
                                             quant::ToString(d) + " are not those of " +
                                             std::to_string(anchors) + " anchors for each cell");
  }
  const int64_t images = p[0];
  ASSIGN_OR_RETURN(const Operand priors, emitter.NewConstant(Anchors(how, p[2], p[3]), "anchors"));
  ASSIGN_OR_RETURN(const Operand of_anchors, ByAnchor(emitter, deltas, anchors, "deltas"));
  const quant::BoxDecode decode = {how.center_variance, how.size_variance, how.pixel};
  const std::vector<float> bounds = {how.width - how.pixel, how.height - how.pixel};
  ASSIGN_OR_RETURN(Operand boxes, emitter.Emit(decode, {of_anchors, priors}, "boxes"));
  if (how.clip_before) {
    ASSIGN_OR_RETURN(boxes, CutToBounds(emitter, boxes, bounds));
  }
  ASSIGN_OR_RETURN(const Operand objects, Part(emitter, probabilities, 1, anchors, 2 * anchors, "objects"));
  ASSIGN_OR_RETURN(Operand scores, ByAnchor(emitter, objects, anchors, "scores"));
  ASSIGN_OR_RETURN(scores, InShape(emitter, scores, {images, 1, scores.shape()[1]}, "scores"));
  ASSIGN_OR_RETURN(scores, WhereLarge(emitter, scores, boxes, how));
  const quant::NonMaxSuppression suppression = {.encoding = BoxEncoding::kOrderedCorners,
                                                .max_per_class = how.after,
                                                .iou_threshold = how.iou_threshold,
                                                .top_k = how.before,
                                                .side_offset = how.pixel,
                                                .are_images_apart = true};
  ASSIGN_OR_RETURN(KeptBoxes kept, SuppressBoxes(emitter, boxes, scores, suppression));
  if (const int64_t rows = kept.rows.shape()[0] / images; rows < how.after) {
    ASSIGN_OR_RETURN(kept.rows, InShape(emitter, kept.rows, {images, rows, 3}, "by_image"));
    ASSIGN_OR_RETURN(const Operand none, emitter.NewConstant(Int64Tensor{{1}, {-1}}, "none"));
    ASSIGN_OR_RETURN(const Operand missing,
                     emitter.Emit(quant::Expand{{images, how.after - rows, 3}}, {none}, "missing"));
    ASSIGN_OR_RETURN(kept.rows, emitter.Emit(quant::Concat{1}, {kept.rows, missing}, "filled"));
    ASSIGN_OR_RETURN(kept.rows, InShape(emitter, kept.rows, {images * how.after, 3}, "selected"));
  }
  SelectedBoxes selected(emitter, kept.rows);
  Detections found = {.counts = kept.counts};
  ASSIGN_OR_RETURN(found.scores, selected.At(scores, {0, 1, 2}, "scores"));
  ASSIGN_OR_RETURN(found.boxes, selected.At(boxes, {0, 2}, "boxes"));
  if (how.clip_after) {
    ASSIGN_OR_RETURN(found.boxes, CutToBounds(emitter, found.boxes, bounds));
  }
  Int64Tensor of_image{{images * how.after}, {}};
  for (int64_t row = 0; row < images * how.after; ++row) of_image.data.push_back(row / how.after);
  Int64Tensor zeros{of_image.shape, std::vector<int64_t>(of_image.data.size())};
  ASSIGN_OR_RETURN(found.images, emitter.NewConstant(std::move(of_image), "images"));
  ASSIGN_OR_RETURN(found.labels, emitter.NewConstant(std::move(zeros), "labels"));
  return found;
}

}  // namespace tally::frontend
