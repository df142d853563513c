#include "frontends/graph/compositions/detection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/compositions/selection.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Shape;

absl::StatusOr<Operand> Reshaped(Emitter& emitter, const Operand& x, const Shape& shape,
                                 std::string_view step) {
  if (x.shape() == shape) return x;
  return emitter.Emit(quant::Reshape{shape}, {x}, step);
}

absl::Status Fits(const Operand& x, const Shape& shape, std::string_view name) {
  if (quant::NumElements(x.shape()) == quant::NumElements(shape)) return absl::OkStatus();
  return MakeError(label::model_shape, std::string(name) + " " + quant::ToString(x.shape()) + " are not " +
                                           quant::ToString(shape));
}

// Corners within 0 and (x, y).
absl::StatusOr<Operand> Cut(Emitter& emitter, Operand boxes,
                            const std::optional<std::vector<float>>& bounds) {
  if (!bounds.has_value()) return boxes;
  const std::vector<float>& most = *bounds;
  ASSIGN_OR_RETURN(const Operand zero, emitter.NewConstant(0.0f, "zero"));
  ASSIGN_OR_RETURN(boxes, emitter.Emit(quant::Max{}, {boxes, zero}, "from_zero"));
  ASSIGN_OR_RETURN(const Operand ends,
                   emitter.NewConstant(FloatTensor{{4}, {most[0], most[1], most[0], most[1]}}, "bounds"));
  return emitter.Emit(quant::Min{}, {boxes, ends}, "within");
}

// The two variances where all rows have the same, (v, v, w, w).
std::optional<std::pair<float, float>> CommonVariances(const Operand& variances) {
  const auto* v = variances.is_constant() ? std::get_if<FloatTensor>(variances.constant.get()) : nullptr;
  if (v == nullptr) return std::nullopt;
  for (size_t i = 0; i < v->data.size(); ++i) {
    if (v->data[i] != v->data[i % 4 < 2 ? 0 : 2]) return std::nullopt;
  }
  return std::pair(v->data[0], v->data[2]);
}

// Boxes [N, (C,) P, 4].
absl::StatusOr<Operand> Decoded(Emitter& emitter, Operand deltas, const Operand& priors,
                                const Operand& variances, DetectionOptions::Code code) {
  const auto common = CommonVariances(variances);
  if (code == DetectionOptions::Code::kCenterSize && common.has_value()) {
    return emitter.Emit(quant::BoxDecode{common->first, common->second}, {deltas, priors}, "boxes");
  }
  ASSIGN_OR_RETURN(deltas, emitter.Emit(quant::Mul{}, {deltas, variances}, "deltas"));
  if (code == DetectionOptions::Code::kCorners) return emitter.Emit(quant::Add{}, {priors, deltas}, "boxes");
  return emitter.Emit(quant::BoxDecode{}, {deltas, priors}, "boxes");
}

// What suppression selected, and what the columns (image, class, box) of its rows lead to.
class Selected {
 public:
  Selected(Emitter& emitter, Operand rows) : emitter_(emitter), rows_(std::move(rows)) {}

  absl::StatusOr<Operand> Column(int64_t column, std::string_view step) {
    const int64_t count = rows_.shape()[0];
    ASSIGN_OR_RETURN(const Operand part, Part(emitter_, rows_, 1, column, column + 1, "column"));
    return Reshaped(emitter_, part, {count}, step);
  }

  // `from` at the places that these columns say, 0 where a row is not there.
  absl::StatusOr<Operand> At(const Operand& from, const std::vector<int64_t>& columns,
                             std::string_view step) {
    std::vector<Operand> parts;
    for (const int64_t column : columns) {
      ASSIGN_OR_RETURN(const Operand part, Part(emitter_, rows_, 1, column, column + 1, "column"));
      parts.push_back(part);
    }
    ASSIGN_OR_RETURN(const Operand places, emitter_.Emit(quant::Concat{1}, parts, "places"));
    ASSIGN_OR_RETURN(const Operand there, emitter_.Emit(quant::GatherNd{}, {from, places}, "there"));
    ASSIGN_OR_RETURN(Operand exists, Column(0, "exists"));
    ASSIGN_OR_RETURN(const Operand zero, emitter_.NewConstant(int64_t{0}, "zero"));
    ASSIGN_OR_RETURN(exists,
                     emitter_.Emit(quant::Compare{Comparison::kGreaterEqual}, {exists, zero}, "exists"));
    Shape shape(there.shape().size(), 1);
    shape[0] = there.shape()[0];
    ASSIGN_OR_RETURN(exists, Reshaped(emitter_, exists, shape, "exists"));
    ASSIGN_OR_RETURN(const Operand nothing, ZeroLike(emitter_, there));
    return emitter_.Emit(quant::Where{}, {exists, there, nothing}, step);
  }

 private:
  Emitter& emitter_;
  Operand rows_;
};

struct Kept {
  Operand rows, counts;
};

absl::StatusOr<Kept> Suppress(Emitter& emitter, const Operand& boxes, const Operand& scores,
                              quant::NonMaxSuppression how) {
  Kept kept;
  ASSIGN_OR_RETURN(kept.rows, emitter.Emit(how, {boxes, scores}, "selected"));
  how.result = quant::SuppressionResult::kCount;
  ASSIGN_OR_RETURN(kept.counts, emitter.Emit(how, {boxes, scores}, "count"));
  return kept;
}

// Scores [N, C, P] without those of the priors that the first stage calls background.
absl::StatusOr<Operand> WhereObjects(Emitter& emitter, const Operand& scores, const Operand& first,
                                     float least) {
  const int64_t images = scores.shape()[0], priors = scores.shape()[2];
  ASSIGN_OR_RETURN(const Operand pairs, Reshaped(emitter, first, {images, priors, 2}, "pairs"));
  ASSIGN_OR_RETURN(Operand objectness, Part(emitter, pairs, 2, 1, 2, "objectness"));
  ASSIGN_OR_RETURN(objectness, Reshaped(emitter, objectness, {images, 1, priors}, "objectness"));
  ASSIGN_OR_RETURN(const Operand bound, emitter.NewConstant(least, "least"));
  ASSIGN_OR_RETURN(const Operand is_object,
                   emitter.Emit(quant::Compare{Comparison::kGreaterEqual}, {objectness, bound}, "is_object"));
  ASSIGN_OR_RETURN(const Operand nothing, emitter.NewConstant(0.0f, "nothing"));
  return emitter.Emit(quant::Where{}, {is_object, scores, nothing}, "scores");
}

}  // namespace

absl::StatusOr<Detections> DetectionOutput(Emitter& emitter, const DetectionOperands& operands,
                                           const DetectionOptions& how) {
  const int64_t images = operands.deltas.shape().empty() ? 1 : operands.deltas.shape()[0];
  const int64_t count = quant::NumElements(operands.priors.shape()) / 4, classes = how.classes;
  const int64_t locations = how.share_location ? 1 : classes;
  RETURN_IF_ERROR(Fits(operands.priors, {count, 4}, "priors"));
  RETURN_IF_ERROR(Fits(operands.variances, {count, 4}, "variances"));
  RETURN_IF_ERROR(Fits(operands.deltas, {images, count * locations * 4}, "box deltas"));
  RETURN_IF_ERROR(Fits(operands.scores, {images, count * classes}, "scores"));
  Int64Tensor labels{{}, {}};
  for (int64_t label = 0; label < classes; ++label) {
    if (how.background != label) labels.data.push_back(label);
  }
  labels.shape = {static_cast<int64_t>(labels.data.size())};
  if (labels.data.empty()) return MakeError(label::model_shape, "there is no class but the background");
  ASSIGN_OR_RETURN(const Operand foreground, emitter.NewConstant(labels, "foreground"));
  const auto without_background = [&](const Operand& x) -> absl::StatusOr<Operand> {
    if (std::ssize(labels.data) == classes) return x;
    return emitter.Emit(quant::Gather{1}, {x, foreground}, "foreground");
  };
  ASSIGN_OR_RETURN(const Operand variances, Reshaped(emitter, operands.variances, {count, 4}, "variances"));
  const auto decode = [&](const Operand& deltas, const Operand& around) -> absl::StatusOr<Operand> {
    Operand of = deltas;
    if (how.share_location) {
      ASSIGN_OR_RETURN(of, Reshaped(emitter, of, {images, count, 4}, "deltas"));
    } else {
      ASSIGN_OR_RETURN(of, Reshaped(emitter, of, {images, count, classes, 4}, "deltas"));
      ASSIGN_OR_RETURN(of, emitter.Emit(quant::Transpose{{0, 2, 1, 3}}, {of}, "by_class"));
      ASSIGN_OR_RETURN(of, without_background(of));
    }
    ASSIGN_OR_RETURN(const Operand boxes, Decoded(emitter, of, around, variances, how.code));
    return Cut(emitter, boxes, how.bounds_before);
  };

  ASSIGN_OR_RETURN(Operand around, Reshaped(emitter, operands.priors, {count, 4}, "priors"));
  ASSIGN_OR_RETURN(Operand scores, Reshaped(emitter, operands.scores, {images, count, classes}, "scores"));
  ASSIGN_OR_RETURN(scores, emitter.Emit(quant::Transpose{{0, 2, 1}}, {scores}, "by_class"));
  ASSIGN_OR_RETURN(scores, without_background(scores));
  if (operands.first_deltas.has_value() && operands.first_scores.has_value()) {
    RETURN_IF_ERROR(Fits(*operands.first_scores, {images, count * 2}, "scores of the first stage"));
    RETURN_IF_ERROR(Fits(*operands.first_deltas, operands.deltas.shape(), "box deltas of the first stage"));
    ASSIGN_OR_RETURN(around, decode(*operands.first_deltas, around));
    ASSIGN_OR_RETURN(scores, WhereObjects(emitter, scores, *operands.first_scores, how.least_objectness));
  }
  ASSIGN_OR_RETURN(const Operand boxes, decode(operands.deltas, around));
  const quant::NonMaxSuppression suppression = {.encoding = BoxEncoding::kOrderedCorners,
                                                .max_per_class = quant::kMaxAttribute,
                                                .iou_threshold = how.iou_threshold,
                                                .score_threshold = how.score_threshold,
                                                .top_k = how.top_k,
                                                .max_per_image = how.keep_top_k,
                                                .side_offset = how.side_offset,
                                                .mixes_classes = how.mixes_classes};
  ASSIGN_OR_RETURN(const Kept kept, Suppress(emitter, boxes, scores, suppression));
  Selected selected(emitter, kept.rows);
  Detections found = {.counts = kept.counts};
  ASSIGN_OR_RETURN(found.images, selected.Column(0, "images"));
  ASSIGN_OR_RETURN(found.scores, selected.At(scores, {0, 1, 2}, "scores"));
  const std::vector<int64_t> of_box =
      how.share_location ? std::vector<int64_t>{0, 2} : std::vector<int64_t>{0, 1, 2};
  ASSIGN_OR_RETURN(const Operand corners, selected.At(boxes, of_box, "corners"));
  ASSIGN_OR_RETURN(found.boxes, Cut(emitter, corners, how.bounds_after));
  // A class of -1 reads the entry in front.
  Int64Tensor names{{labels.shape[0] + 1}, {0}};
  for (const int64_t label : labels.data) names.data.push_back(label - (how.decrease_label ? 1 : 0));
  ASSIGN_OR_RETURN(const Operand of_class, selected.Column(1, "classes"));
  ASSIGN_OR_RETURN(const Operand one, emitter.NewConstant(int64_t{1}, "one"));
  ASSIGN_OR_RETURN(const Operand entry, Sum(emitter, of_class, one));
  ASSIGN_OR_RETURN(found.labels, emitter.Emit(quant::Lookup{std::move(names)}, {entry}, "labels"));
  return found;
}

std::vector<std::pair<double, double>> SidesOfCells(const std::vector<float>& least,
                                                    const std::vector<float>& largest,
                                                    const std::vector<double>& ratios,
                                                    const CellOrder& order) {
  std::vector<std::pair<double, double>> sides;
  const auto add_ratios = [&](size_t i) {
    if (!order.scales_all && i + 1 < least.size()) return;
    const double side = order.scales_all ? least[i] : least[0];
    for (const double ratio : ratios) sides.emplace_back(side * std::sqrt(ratio), side / std::sqrt(ratio));
  };
  for (size_t i = 0; i < least.size(); ++i) {
    const double side = least[i];
    sides.emplace_back(side, side);
    if (order.ratios_first) add_ratios(i);
    if (i < largest.size()) {
      const double mean = std::sqrt(side * largest[i]);
      sides.emplace_back(mean, mean);
    }
    if (!order.ratios_first) add_ratios(i);
  }
  return sides;
}

absl::StatusOr<Operand> GridBoxes(Emitter& emitter, const BoxGrid& grid) {
  const Shape shape = {grid.rows, grid.columns, std::ssize(grid.sides), 4};
  RETURN_IF_ERROR(emitter.Charge(quant::NumElements(shape)));
  FloatTensor boxes{{quant::NumElements(shape) / 4, 4}, {}};
  for (int64_t row = 0; row < grid.rows; ++row) {
    for (int64_t column = 0; column < grid.columns; ++column) {
      const double x = grid.first_x + static_cast<double>(column) * grid.step_x;
      const double y = grid.first_y + static_cast<double>(row) * grid.step_y;
      for (const auto& [across, down] : grid.sides) {
        for (const double corner : {(x - across / 2) / grid.width, (y - down / 2) / grid.height,
                                    (x + across / 2) / grid.width, (y + down / 2) / grid.height}) {
          if (!(std::abs(corner) <= std::numeric_limits<float>::max())) {
            return MakeError(label::model_malformed, "a corner of a prior is infinite or no number");
          }
          boxes.data.push_back(static_cast<float>(grid.clip ? std::clamp(corner, 0.0, 1.0) : corner));
        }
      }
    }
  }
  return emitter.NewConstant(std::move(boxes), "priors");
}

absl::StatusOr<Operand> DetectionRows(Emitter& emitter, const Detections& found) {
  const int64_t rows = found.scores.shape()[0];
  std::vector<Operand> columns;
  for (const Operand& integers : {found.images, found.labels}) {
    ASSIGN_OR_RETURN(const Operand floats, emitter.Emit(quant::ToFloat{}, {integers}, "floats"));
    ASSIGN_OR_RETURN(const Operand column, Reshaped(emitter, floats, {rows, 1}, "column"));
    columns.push_back(column);
  }
  ASSIGN_OR_RETURN(const Operand scores, Reshaped(emitter, found.scores, {rows, 1}, "column"));
  columns.push_back(scores);
  columns.push_back(found.boxes);
  ASSIGN_OR_RETURN(const Operand all, emitter.Emit(quant::Concat{1}, columns, "rows"));
  return emitter.Emit(quant::Reshape{{1, 1, rows, 7}}, {all}, "detections");
}

namespace {

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
                   Reshaped(emitter, x, {s[0], anchors, numbers, s[2], s[3]}, "of_anchors"));
  ASSIGN_OR_RETURN(const Operand moved, emitter.Emit(quant::Transpose{{0, 3, 4, 1, 2}}, {split}, "by_cell"));
  return Reshaped(emitter, moved, {s[0], s[2] * s[3] * anchors, numbers}, step);
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
  ASSIGN_OR_RETURN(const Operand flags, Reshaped(emitter, both, {s[0], 1, s[1]}, "flags"));
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
    ASSIGN_OR_RETURN(boxes, Cut(emitter, boxes, bounds));
  }
  ASSIGN_OR_RETURN(const Operand objects, Part(emitter, probabilities, 1, anchors, 2 * anchors, "objects"));
  ASSIGN_OR_RETURN(Operand scores, ByAnchor(emitter, objects, anchors, "scores"));
  ASSIGN_OR_RETURN(scores, Reshaped(emitter, scores, {images, 1, scores.shape()[1]}, "scores"));
  ASSIGN_OR_RETURN(scores, WhereLarge(emitter, scores, boxes, how));
  const quant::NonMaxSuppression suppression = {.encoding = BoxEncoding::kOrderedCorners,
                                                .max_per_class = how.after,
                                                .iou_threshold = how.iou_threshold,
                                                .top_k = how.before,
                                                .side_offset = how.pixel,
                                                .are_images_apart = true};
  ASSIGN_OR_RETURN(Kept kept, Suppress(emitter, boxes, scores, suppression));
  if (const int64_t rows = kept.rows.shape()[0] / images; rows < how.after) {
    ASSIGN_OR_RETURN(kept.rows, Reshaped(emitter, kept.rows, {images, rows, 3}, "by_image"));
    ASSIGN_OR_RETURN(const Operand none, emitter.NewConstant(Int64Tensor{{1}, {-1}}, "none"));
    ASSIGN_OR_RETURN(const Operand missing,
                     emitter.Emit(quant::Expand{{images, how.after - rows, 3}}, {none}, "missing"));
    ASSIGN_OR_RETURN(kept.rows, emitter.Emit(quant::Concat{1}, {kept.rows, missing}, "filled"));
    ASSIGN_OR_RETURN(kept.rows, Reshaped(emitter, kept.rows, {images * how.after, 3}, "selected"));
  }
  Selected selected(emitter, kept.rows);
  Detections found = {.counts = kept.counts};
  ASSIGN_OR_RETURN(found.scores, selected.At(scores, {0, 1, 2}, "scores"));
  ASSIGN_OR_RETURN(found.boxes, selected.At(boxes, {0, 2}, "boxes"));
  if (how.clip_after) {
    ASSIGN_OR_RETURN(found.boxes, Cut(emitter, found.boxes, bounds));
  }
  Int64Tensor of_image{{images * how.after}, {}};
  for (int64_t row = 0; row < images * how.after; ++row) of_image.data.push_back(row / how.after);
  Int64Tensor zeros{of_image.shape, std::vector<int64_t>(of_image.data.size())};
  ASSIGN_OR_RETURN(found.images, emitter.NewConstant(std::move(of_image), "images"));
  ASSIGN_OR_RETURN(found.labels, emitter.NewConstant(std::move(zeros), "labels"));
  return found;
}

namespace {

// What one map says of its boxes: corners [N, B, 4], scores [N, 1, B] and classes [N, B].
struct MapBoxes {
  Operand corners, scores, classes;
};

absl::StatusOr<Operand> SigmoidOf(Emitter& emitter, const Operand& x, std::string_view step) {
  return emitter.Emit(quant::Unary{RecipeFunction::kSigmoid}, {x}, step);
}

// The middle of boxes along an axis: (sigmoid(x) + place) / places.
absl::StatusOr<Operand> Middles(Emitter& emitter, const Operand& x, size_t axis) {
  const int64_t places = x.shape()[axis];
  Shape shape(x.shape().size(), 1);
  shape[axis] = places;
  FloatTensor begins{shape, {}};
  for (int64_t i = 0; i < places; ++i) {
    begins.data.push_back(static_cast<float>(i) / static_cast<float>(places));
  }
  ASSIGN_OR_RETURN(const Operand sigmoid, SigmoidOf(emitter, x, "within"));
  ASSIGN_OR_RETURN(const Operand width, emitter.NewConstant(1.0f / static_cast<float>(places), "place"));
  ASSIGN_OR_RETURN(const Operand within, emitter.Emit(quant::Mul{}, {sigmoid, width}, "within"));
  ASSIGN_OR_RETURN(const Operand begin, emitter.NewConstant(std::move(begins), "begins"));
  return emitter.Emit(quant::Add{}, {within, begin}, "middles");
}

// The sigmoid of the objectness times the largest share of a class.
absl::StatusOr<Operand> SharedScore(Emitter& emitter, const Operand& objectness, const Operand& classes) {
  ASSIGN_OR_RETURN(const Operand shares, emitter.Emit(quant::Softmax{2}, {classes}, "of_class"));
  ASSIGN_OR_RETURN(const Operand best, emitter.Emit(quant::ReduceExtreme{{2}}, {shares}, "best"));
  ASSIGN_OR_RETURN(const Operand of_object, SigmoidOf(emitter, objectness, "of_object"));
  return emitter.Emit(quant::Mul{}, {of_object, best}, "score");
}

// 1 / (1 + exp(-o) (1 + exp(-c))) = sigmoid(o - softplus(-c)), of the largest class c.
absl::StatusOr<Operand> OwnScore(Emitter& emitter, const Operand& objectness, const Operand& classes) {
  ASSIGN_OR_RETURN(const Operand best, emitter.Emit(quant::ReduceExtreme{{2}}, {classes}, "best"));
  ASSIGN_OR_RETURN(const Operand below, emitter.Emit(quant::Slopes{-1, -1}, {best}, "below"));
  ASSIGN_OR_RETURN(const Operand less,
                   emitter.Emit(quant::Unary{RecipeFunction::kSoftplus}, {below}, "less"));
  ASSIGN_OR_RETURN(const Operand of_both, emitter.Emit(quant::Sub{}, {objectness, less}, "of_both"));
  return SigmoidOf(emitter, of_both, "score");
}

absl::StatusOr<MapBoxes> BoxesOfMap(Emitter& emitter, const AnchorMap& map, bool classes_exclude) {
  const Shape& s = map.x.shape();
  const int64_t anchors = std::ssize(map.anchors) / 2;
  if (s.size() != 4 || anchors < 1 || s[1] % anchors != 0 || s[1] / anchors < 6) {
    return MakeError(label::model_shape, "a map " + quant::ToString(s) + " is not one of " +
                                             std::to_string(anchors) + " anchors");
  }
  const int64_t numbers = s[1] / anchors, boxes = anchors * s[2] * s[3];
  ASSIGN_OR_RETURN(const Operand split,
                   Reshaped(emitter, map.x, {s[0], anchors, numbers, s[2], s[3]}, "of_anchors"));
  const auto part = [&](int64_t begin, int64_t end, std::string_view step) {
    return Part(emitter, split, 2, begin, end, step);
  };
  Operand low[2], high[2];
  for (const int64_t axis : {0, 1}) {  // across and down
    ASSIGN_OR_RETURN(const Operand offset, part(axis, axis + 1, "offset"));
    ASSIGN_OR_RETURN(const Operand middle, Middles(emitter, offset, axis == 0 ? 4 : 3));
    ASSIGN_OR_RETURN(const Operand ratio, part(axis + 2, axis + 3, "ratio"));
    ASSIGN_OR_RETURN(const Operand growth,
                     emitter.Emit(quant::Unary{RecipeFunction::kExp}, {ratio}, "growth"));
    FloatTensor halves{{anchors, 1, 1, 1}, {}};
    for (int64_t a = 0; a < anchors; ++a) {
      halves.data.push_back(map.anchors[static_cast<size_t>(2 * a + axis)] / 2);
    }
    ASSIGN_OR_RETURN(const Operand half, emitter.NewConstant(std::move(halves), "halves"));
    ASSIGN_OR_RETURN(const Operand reach, emitter.Emit(quant::Mul{}, {growth, half}, "reach"));
    ASSIGN_OR_RETURN(low[axis], emitter.Emit(quant::Sub{}, {middle, reach}, "low"));
    ASSIGN_OR_RETURN(high[axis], emitter.Emit(quant::Add{}, {middle, reach}, "high"));
  }
  MapBoxes found;
  ASSIGN_OR_RETURN(const Operand corners,
                   emitter.Emit(quant::Concat{2}, {low[0], low[1], high[0], high[1]}, "corners"));
  ASSIGN_OR_RETURN(const Operand last, emitter.Emit(quant::Transpose{{0, 1, 3, 4, 2}}, {corners}, "by_box"));
  ASSIGN_OR_RETURN(found.corners, Reshaped(emitter, last, {s[0], boxes, 4}, "boxes"));
  ASSIGN_OR_RETURN(const Operand classes, part(5, numbers, "classes"));
  ASSIGN_OR_RETURN(const Operand objectness, part(4, 5, "objectness"));
  ASSIGN_OR_RETURN(const Operand score, classes_exclude ? SharedScore(emitter, objectness, classes)
                                                        : OwnScore(emitter, objectness, classes));
  ASSIGN_OR_RETURN(found.scores, Reshaped(emitter, score, {s[0], 1, boxes}, "scores"));
  ASSIGN_OR_RETURN(const Operand places,
                   emitter.Emit(quant::ArgExtreme{.axis = 2, .keep_dimension = true}, {classes}, "places"));
  ASSIGN_OR_RETURN(found.classes, Reshaped(emitter, places, {s[0], boxes}, "of_boxes"));
  return found;
}

}  // namespace

absl::StatusOr<Detections> YoloDetections(Emitter& emitter, const std::vector<AnchorMap>& maps,
                                          const YoloOptions& how) {
  std::vector<Operand> corners, scores, classes;
  for (const AnchorMap& map : maps) {
    ASSIGN_OR_RETURN(const MapBoxes boxes, BoxesOfMap(emitter, map, how.classes_exclude));
    corners.push_back(boxes.corners);
    scores.push_back(boxes.scores);
    classes.push_back(boxes.classes);
  }
  ASSIGN_OR_RETURN(const Operand all_corners, emitter.Emit(quant::Concat{1}, corners, "all_boxes"));
  ASSIGN_OR_RETURN(const Operand all_scores, emitter.Emit(quant::Concat{2}, scores, "all_scores"));
  ASSIGN_OR_RETURN(const Operand all_classes, emitter.Emit(quant::Concat{1}, classes, "all_classes"));
  const quant::NonMaxSuppression suppression = {
      .encoding = BoxEncoding::kOrderedCorners,
      .max_per_class = quant::kMaxAttribute,
      .iou_threshold = how.iou_threshold,
      .score_threshold = std::nextafter(how.score_threshold, -std::numeric_limits<float>::infinity())};
  ASSIGN_OR_RETURN(const Kept kept, Suppress(emitter, all_corners, all_scores, suppression));
  Selected selected(emitter, kept.rows);
  Detections found = {.counts = kept.counts};
  ASSIGN_OR_RETURN(found.images, selected.Column(0, "images"));
  ASSIGN_OR_RETURN(found.labels, selected.At(all_classes, {0, 2}, "labels"));
  ASSIGN_OR_RETURN(found.scores, selected.At(all_scores, {0, 1, 2}, "scores"));
  ASSIGN_OR_RETURN(found.boxes, selected.At(all_corners, {0, 2}, "boxes"));
  return found;
}

}  // namespace tally::frontend
