#include "frontends/coreml/suppression.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/gather.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/compositions/reductions.h"
#include "frontends/graph/compositions/selection.h"
#include "frontends/graph/labels.h"

namespace tally::coreml {
namespace {

using frontend::Emitter;
using frontend::Operand;
using quant::Int64Tensor;
using Kind = quant::IntegerArithmetic::Kind;

// Scores of lists in which boxes are rivals: one list, or, of each class, one of the boxes whose best class
// it is.
absl::StatusOr<Operand> ListsOf(Emitter& emitter, const Operand& scores, const SuppressionForm& how) {
  const quant::Shape& shape = scores.shape();
  const int64_t batch = shape[0], count = shape[1], classes = shape[2];
  ASSIGN_OR_RETURN(
      const Operand best,
      emitter.Emit(quant::ReduceExtreme{.axes = {2}, .keep_dimensions = false}, {scores}, "best"));
  ASSIGN_OR_RETURN(const Operand one, emitter.Emit(quant::Reshape{{batch, 1, count}}, {best}, "list"));
  if (!how.per_class || classes == 1) return one;
  ASSIGN_OR_RETURN(const Operand of_class,
                   emitter.Emit(quant::ArgExtreme{.axis = 2, .keep_dimension = false}, {scores}, "class"));
  ASSIGN_OR_RETURN(const Operand line, emitter.Emit(quant::Reshape{{batch, 1, count}}, {of_class}, "line"));
  Int64Tensor numbers{{1, classes, 1}, {}};
  for (int64_t c = 0; c < classes; ++c) numbers.data.push_back(c);
  ASSIGN_OR_RETURN(const Operand each, emitter.NewConstant(std::move(numbers), "classes"));
  ASSIGN_OR_RETURN(const Operand is_best,
                   emitter.Emit(quant::Compare{Comparison::kEqual}, {line, each}, "is_best"));
  ASSIGN_OR_RETURN(const Operand below, emitter.NewConstant(how.score_threshold - 1, "below"));
  return emitter.Emit(quant::Where{}, {is_best, one, below}, "lists");
}

// Rows of x [B, N, W] at places [B, M]; 0 where a place is below 0.
absl::StatusOr<Operand> RowsAt(Emitter& emitter, const Operand& x, const Operand& places, const char* step) {
  const int64_t batch = places.shape()[0], rows = places.shape()[1];
  ASSIGN_OR_RETURN(const Operand zero, emitter.NewConstant(int64_t{0}, "zero"));
  ASSIGN_OR_RETURN(const Operand inside,
                   emitter.Emit(quant::IntegerArithmetic{Kind::kMax}, {places, zero}, "inside"));
  ASSIGN_OR_RETURN(const Operand tuples, emitter.Emit(quant::Reshape{{batch, rows, 1}}, {inside}, "tuples"));
  ASSIGN_OR_RETURN(const Operand found, frontend::GatherTuples(emitter, x, tuples, 1));
  ASSIGN_OR_RETURN(const Operand is_there,
                   emitter.Emit(quant::Compare{Comparison::kGreaterEqual}, {places, zero}, "is_there"));
  ASSIGN_OR_RETURN(const Operand column,
                   emitter.Emit(quant::Reshape{{batch, rows, 1}}, {is_there}, "column"));
  ASSIGN_OR_RETURN(const Operand nothing, emitter.NewConstant(0.0f, "nothing"));
  return emitter.Emit(quant::Where{}, {column, found, nothing}, step);
}

// The box with the best score in the first row of an image that has none.
absl::Status KeepOne(Emitter& emitter, const Operand& lists, int64_t rows, Operand& places, Operand& counts) {
  const int64_t batch = lists.shape()[0], count = lists.shape()[2];
  ASSIGN_OR_RETURN(
      const Operand best,
      emitter.Emit(quant::ReduceExtreme{.axes = {1}, .keep_dimensions = false}, {lists}, "best_of_lists"));
  ASSIGN_OR_RETURN(const Operand seen, emitter.Emit(quant::Reshape{{batch, count}}, {best}, "best_scores"));
  ASSIGN_OR_RETURN(const Operand first, emitter.Emit(quant::ArgExtreme{.axis = 1}, {seen}, "best_box"));
  ASSIGN_OR_RETURN(const Operand zero, emitter.NewConstant(int64_t{0}, "zero"));
  ASSIGN_OR_RETURN(const Operand one, emitter.NewConstant(int64_t{1}, "one"));
  ASSIGN_OR_RETURN(const Operand column, emitter.Emit(quant::Reshape{{batch, 1}}, {counts}, "counts_column"));
  ASSIGN_OR_RETURN(const Operand is_empty,
                   emitter.Emit(quant::Compare{Comparison::kEqual}, {column, zero}, "is_empty"));
  Int64Tensor places_of_rows{{1, rows}, std::vector<int64_t>(static_cast<size_t>(rows), 0)};
  places_of_rows.data[0] = 1;
  ASSIGN_OR_RETURN(const Operand is_first, emitter.NewConstant(std::move(places_of_rows), "is_first"));
  ASSIGN_OR_RETURN(const Operand fills,
                   emitter.Emit(quant::IntegerArithmetic{Kind::kMin}, {is_empty, is_first}, "fills"));
  ASSIGN_OR_RETURN(places, emitter.Emit(quant::Where{}, {fills, first, places}, "places_kept"));
  ASSIGN_OR_RETURN(counts, emitter.Emit(quant::IntegerArithmetic{Kind::kMax}, {counts, one}, "counts_kept"));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Suppressed> Suppress(Emitter& emitter, const Operand& boxes, const Operand& scores,
                                    const SuppressionForm& how) {
  const quant::Shape &of_boxes = boxes.shape(), &of_scores = scores.shape();
  if (of_boxes.size() != 3 || of_scores.size() != 3 || of_boxes[2] != 4 || of_boxes[0] != of_scores[0] ||
      of_boxes[1] != of_scores[1]) {
    return MakeError(label::model_shape, "its boxes are " + quant::ToString(of_boxes) + " and its scores " +
                                             quant::ToString(of_scores));
  }
  const int64_t batch = of_boxes[0], count = of_boxes[1];
  ASSIGN_OR_RETURN(const Operand lists, ListsOf(emitter, scores, how));
  quant::NonMaxSuppression suppression = {.encoding = BoxEncoding::kCenter,
                                          .max_per_class = std::min(how.max_boxes, count),
                                          .iou_threshold = how.iou_threshold,
                                          .score_threshold = how.score_threshold,
                                          .max_per_image = how.max_boxes,
                                          .are_images_apart = true,
                                          .mixes_classes = true};
  ASSIGN_OR_RETURN(const Operand rows, emitter.Emit(suppression, {boxes, lists}, "rows"));
  suppression.result = quant::SuppressionResult::kCount;
  Suppressed suppressed;
  ASSIGN_OR_RETURN(suppressed.counts, emitter.Emit(suppression, {boxes, lists}, "counts"));
  ASSIGN_OR_RETURN(const Operand last, frontend::Part(emitter, rows, 1, 2, 3, "boxes_of_rows"));
  const int64_t each = rows.shape()[0] / batch;
  ASSIGN_OR_RETURN(suppressed.places, emitter.Emit(quant::Reshape{{batch, each}}, {last}, "places"));
  if (how.keeps_one) RETURN_IF_ERROR(KeepOne(emitter, lists, each, suppressed.places, suppressed.counts));
  if (each < how.max_boxes) {
    RETURN_IF_ERROR(emitter.Charge(batch * (how.max_boxes - each)));
    ASSIGN_OR_RETURN(const Operand none, emitter.NewConstant(int64_t{-1}, "none"));
    ASSIGN_OR_RETURN(const Operand rest,
                     emitter.Emit(quant::Expand{{batch, how.max_boxes - each}}, {none}, "rest"));
    ASSIGN_OR_RETURN(suppressed.places,
                     emitter.Emit(quant::Concat{1}, {suppressed.places, rest}, "all_places"));
  }
  ASSIGN_OR_RETURN(suppressed.boxes, RowsAt(emitter, boxes, suppressed.places, "kept_boxes"));
  ASSIGN_OR_RETURN(suppressed.scores, RowsAt(emitter, scores, suppressed.places, "kept_scores"));
  return suppressed;
}

}  // namespace tally::coreml
