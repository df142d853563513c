#include <algorithm>
#include <cmath>
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
using quant::Shape;

// The description of the boxes of one map: corners [N, B, 4], scores [N, 1, B] and classes [N, B].
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
                   InShape(emitter, map.x, {s[0], anchors, numbers, s[2], s[3]}, "of_anchors"));
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
  ASSIGN_OR_RETURN(found.corners, InShape(emitter, last, {s[0], boxes, 4}, "boxes"));
  ASSIGN_OR_RETURN(const Operand classes, part(5, numbers, "classes"));
  ASSIGN_OR_RETURN(const Operand objectness, part(4, 5, "objectness"));
  ASSIGN_OR_RETURN(const Operand score, classes_exclude ? SharedScore(emitter, objectness, classes)
                                                        : OwnScore(emitter, objectness, classes));
  ASSIGN_OR_RETURN(found.scores, InShape(emitter, score, {s[0], 1, boxes}, "scores"));
  ASSIGN_OR_RETURN(const Operand places,
                   emitter.Emit(quant::ArgExtreme{.axis = 2, .keep_dimension = true}, {classes}, "places"));
  ASSIGN_OR_RETURN(found.classes, InShape(emitter, places, {s[0], boxes}, "of_boxes"));
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
  ASSIGN_OR_RETURN(const KeptBoxes kept, SuppressBoxes(emitter, all_corners, all_scores, suppression));
  SelectedBoxes selected(emitter, kept.rows);
  Detections found = {.counts = kept.counts};
  ASSIGN_OR_RETURN(found.images, selected.Column(0, "images"));
  ASSIGN_OR_RETURN(found.labels, selected.At(all_classes, {0, 2}, "labels"));
  ASSIGN_OR_RETURN(found.scores, selected.At(all_scores, {0, 1, 2}, "scores"));
  ASSIGN_OR_RETURN(found.boxes, selected.At(all_corners, {0, 2}, "boxes"));
  return found;
}

}  // namespace tally::frontend
