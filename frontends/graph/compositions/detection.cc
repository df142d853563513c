#include "frontends/graph/compositions/detection.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/compositions/selected_boxes.h"
#include "frontends/graph/compositions/selection.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Shape;

absl::Status Fits(const Operand& x, const Shape& shape, std::string_view name) {
  if (quant::NumElements(x.shape()) == quant::NumElements(shape)) return absl::OkStatus();
  return MakeError(label::model_shape, std::string(name) + " " + quant::ToString(x.shape()) + " are not " +
                                           quant::ToString(shape));
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

// Scores [N, C, P] without those of the priors that the first stage calls background.
absl::StatusOr<Operand> WhereObjects(Emitter& emitter, const Operand& scores, const Operand& first,
                                     float least) {
  const int64_t images = scores.shape()[0], priors = scores.shape()[2];
  ASSIGN_OR_RETURN(const Operand pairs, InShape(emitter, first, {images, priors, 2}, "pairs"));
  ASSIGN_OR_RETURN(Operand objectness, Part(emitter, pairs, 2, 1, 2, "objectness"));
  ASSIGN_OR_RETURN(objectness, InShape(emitter, objectness, {images, 1, priors}, "objectness"));
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
  ASSIGN_OR_RETURN(const Operand variances, InShape(emitter, operands.variances, {count, 4}, "variances"));
  const auto decode = [&](const Operand& deltas, const Operand& around) -> absl::StatusOr<Operand> {
    Operand of = deltas;
    if (how.share_location) {
      ASSIGN_OR_RETURN(of, InShape(emitter, of, {images, count, 4}, "deltas"));
    } else {
      ASSIGN_OR_RETURN(of, InShape(emitter, of, {images, count, classes, 4}, "deltas"));
      ASSIGN_OR_RETURN(of, emitter.Emit(quant::Transpose{{0, 2, 1, 3}}, {of}, "by_class"));
      ASSIGN_OR_RETURN(of, without_background(of));
    }
    ASSIGN_OR_RETURN(const Operand boxes, Decoded(emitter, of, around, variances, how.code));
    return CutToBounds(emitter, boxes, how.bounds_before);
  };

  ASSIGN_OR_RETURN(Operand around, InShape(emitter, operands.priors, {count, 4}, "priors"));
  ASSIGN_OR_RETURN(Operand scores, InShape(emitter, operands.scores, {images, count, classes}, "scores"));
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
  ASSIGN_OR_RETURN(const KeptBoxes kept, SuppressBoxes(emitter, boxes, scores, suppression));
  SelectedBoxes selected(emitter, kept.rows);
  Detections found = {.counts = kept.counts};
  ASSIGN_OR_RETURN(found.images, selected.Column(0, "images"));
  ASSIGN_OR_RETURN(found.scores, selected.At(scores, {0, 1, 2}, "scores"));
  const std::vector<int64_t> of_box =
      how.share_location ? std::vector<int64_t>{0, 2} : std::vector<int64_t>{0, 1, 2};
  ASSIGN_OR_RETURN(const Operand corners, selected.At(boxes, of_box, "corners"));
  ASSIGN_OR_RETURN(found.boxes, CutToBounds(emitter, corners, how.bounds_after));
  // A class of -1 reads the entry in front.
  Int64Tensor names{{labels.shape[0] + 1}, {0}};
  for (const int64_t label : labels.data) names.data.push_back(label - (how.decrease_label ? 1 : 0));
  ASSIGN_OR_RETURN(const Operand of_class, selected.Column(1, "classes"));
  ASSIGN_OR_RETURN(const Operand one, emitter.NewConstant(int64_t{1}, "one"));
  ASSIGN_OR_RETURN(const Operand entry, Sum(emitter, of_class, one));
  ASSIGN_OR_RETURN(found.labels, emitter.Emit(quant::Lookup{std::move(names)}, {entry}, "labels"));
  return found;
}

absl::StatusOr<Operand> DetectionRows(Emitter& emitter, const Detections& found) {
  const int64_t rows = found.scores.shape()[0];
  std::vector<Operand> columns;
  for (const Operand& integers : {found.images, found.labels}) {
    ASSIGN_OR_RETURN(const Operand floats, emitter.Emit(quant::ToFloat{}, {integers}, "floats"));
    ASSIGN_OR_RETURN(const Operand column, InShape(emitter, floats, {rows, 1}, "column"));
    columns.push_back(column);
  }
  ASSIGN_OR_RETURN(const Operand scores, InShape(emitter, found.scores, {rows, 1}, "column"));
  columns.push_back(scores);
  columns.push_back(found.boxes);
  ASSIGN_OR_RETURN(const Operand all, emitter.Emit(quant::Concat{1}, columns, "rows"));
  return emitter.Emit(quant::Reshape{{1, 1, rows, 7}}, {all}, "detections");
}

}  // namespace tally::frontend
