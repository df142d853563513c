#include <algorithm>
#include <optional>

#include "ops/comparison/attrs.h"
#include "ops/detection/lowering/compose.h"

namespace tally {
namespace {

using detection::Concat;
using detection::Lincomb;
using detection::Require;
using detection::Slice;
using detection::Take;
using detection::TakeRows;

// The classes that detections have, in ascending order.
std::vector<int64_t> Foreground(const DetectionOutputAttrs& attrs) {
  std::vector<int64_t> classes;
  for (int64_t k = 0; k < attrs.classes; ++k) {
    if (attrs.background.empty() || attrs.background[0] != k) classes.push_back(k);
  }
  return classes;
}

// The description of the priors by a first stage: [N, P, 2] scores of nothing and of something, and deltas
// like those of the boxes.
struct Refinement {
  Value scores, deltas;
  int64_t min_objectness;
};

// Scores [N, C, P], 0 where the prior is nothing.
absl::StatusOr<Value> Masked(Composition& c, Value scores, const Refinement& first, int64_t N, int64_t P) {
  ASSIGN_OR_RETURN(Value objectness, Reshape(c, first.scores, {N, P, 2}));
  ASSIGN_OR_RETURN(objectness, Slice(c, objectness, 2, 1, 2));
  ASSIGN_OR_RETURN(objectness, Reshape(c, objectness, {N, 1, P}));
  ASSIGN_OR_RETURN(const Value counts,
                   c.Apply(Opcode::kCompare, {objectness, c.Constant({}, {first.min_objectness})},
                           CompareAttrs{Comparison::kGreaterEqual}));
  return c.Apply(Opcode::kSelect, {counts, scores, c.Constant({}, {0})});
}

// Operands: deltas, scores, priors, variances and tables.
absl::StatusOr<std::vector<Value>> Detect(Composition& c, std::span<const Value> operands,
                                          const DetectionOutputAttrs& attrs,
                                          const std::optional<Refinement>& first) {
  const Shape &deltas = c.shape(operands[0]), &scores_in = c.shape(operands[1]),
              &priors = c.shape(operands[2]);
  RETURN_IF_ERROR(Require(priors.rank() == 2, "priors are [P, 4]"));
  const int64_t N = deltas.rank() == 0 ? 1 : deltas[0], P = priors[0];
  const int64_t locations = attrs.share_location ? 1 : attrs.classes;
  RETURN_IF_ERROR(
      Require(deltas.num_elements() == N * P * locations * 4, "box deltas are [N, P * locations * 4]"));
  RETURN_IF_ERROR(Require(scores_in.num_elements() == N * P * attrs.classes, "scores are [N, P * classes]"));
  const std::vector<int64_t> labels = Foreground(attrs);
  RETURN_IF_ERROR(Require(!labels.empty(), "no class but the background"));
  const int64_t C = static_cast<int64_t>(labels.size());
  ASSIGN_OR_RETURN(const Value foreground, detection::List(c, labels));
  const auto without_background = [&](Value x) -> absl::StatusOr<Value> {
    if (C == attrs.classes) return x;
    return Take(c, x, foreground, 1);
  };

  // Boxes [N, P, 4] or [N, C, P, 4], scores [N, C, P].
  const auto decode = [&](Value of, Value around) -> absl::StatusOr<Value> {
    ASSIGN_OR_RETURN(of, Reshape(c, of, {N, P * locations, 4}));
    if (!attrs.share_location) {
      ASSIGN_OR_RETURN(of, Reshape(c, of, {N, P, locations, 4}));
      ASSIGN_OR_RETURN(of, Transpose(c, of, {0, 2, 1, 3}));
      ASSIGN_OR_RETURN(of, without_background(of));
    }
    std::vector<Value> decoded = {of, around};
    decoded.insert(decoded.end(), operands.begin() + 3, operands.end());
    return LowerOne(c, "box_decode", decoded,
                    BoxDecodeAttrs{.code = attrs.code,
                                   .fraction = attrs.fraction,
                                   .table_offset = attrs.table_offset,
                                   .limits = attrs.limits_before_nms});
  };
  Value around = operands[2];
  if (first.has_value()) {
    ASSIGN_OR_RETURN(around, decode(first->deltas, around));
  }
  ASSIGN_OR_RETURN(Value boxes, decode(operands[0], around));
  ASSIGN_OR_RETURN(Value scores, Reshape(c, operands[1], {N, P, attrs.classes}));
  ASSIGN_OR_RETURN(scores, Transpose(c, scores, {0, 2, 1}));
  ASSIGN_OR_RETURN(scores, without_background(scores));
  if (first.has_value()) {
    ASSIGN_OR_RETURN(scores, Masked(c, scores, *first, N, P));
  }

  ASSIGN_OR_RETURN(const std::vector<Value> kept,
                   c.Emit(Opcode::kNms, {boxes, scores},
                          Pack(NmsAttrs{.encoding = BoxEncoding::kOrderedCorners,
                                        .side_offset = attrs.side_offset,
                                        .iou_numerator = attrs.iou_numerator,
                                        .iou_denominator = attrs.iou_denominator,
                                        .min_score = attrs.min_score,
                                        .top_k = attrs.top_k,
                                        .max_per_batch = attrs.keep_top_k})));
  const int64_t rows = c.shape(kept[0])[0];
  ASSIGN_OR_RETURN(const Value image, Slice(c, kept[0], 1, 0, 1));
  ASSIGN_OR_RETURN(const Value cls, Slice(c, kept[0], 1, 1, 2));
  ASSIGN_OR_RETURN(const Value box, Slice(c, kept[0], 1, 2, 3));

  // Rows that are not there have negative indices, which read zeros.
  ASSIGN_OR_RETURN(Value score_row, Lincomb(c, {image, cls, box}, {C * P, P, 1}, 1, 0));
  ASSIGN_OR_RETURN(score_row, Reshape(c, score_row, {rows}));
  ASSIGN_OR_RETURN(scores, Reshape(c, scores, {N * C * P, 1}));
  ASSIGN_OR_RETURN(const Value score, TakeRows(c, scores, score_row));
  Value box_row = score_row;
  if (attrs.share_location) {
    ASSIGN_OR_RETURN(box_row, Lincomb(c, {image, box}, {P, 1}, 1, 0));
    ASSIGN_OR_RETURN(box_row, Reshape(c, box_row, {rows}));
  }
  ASSIGN_OR_RETURN(boxes, Reshape(c, boxes, {c.shape(boxes).num_elements() / 4, 4}));
  ASSIGN_OR_RETURN(Value corners, TakeRows(c, boxes, box_row));
  ASSIGN_OR_RETURN(corners, detection::ClipCorners(c, corners, attrs.limits_after_nms));

  std::vector<int64_t> names = {0};
  for (const int64_t label : labels) names.push_back(label - (attrs.decrease_label ? 1 : 0));
  ASSIGN_OR_RETURN(const Value table, detection::List(c, names));
  ASSIGN_OR_RETURN(const Value label, c.Apply(Opcode::kTable, {cls, table}, TableAttrs{.offset = -1}));

  ASSIGN_OR_RETURN(const Value y, Concat(c, {image, label, score, corners}, 1));
  ASSIGN_OR_RETURN(const Value detections, Reshape(c, y, {1, 1, rows, 7}));
  return std::vector<Value>{detections, kept[1]};
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerDetectionOutput(Composition& c, std::span<const Value> operands,
                                                        const Attributes& attributes) {
  return Detect(c, operands, Unpack<DetectionOutputAttrs>(attributes), std::nullopt);
}

absl::StatusOr<std::vector<Value>> LowerRefinedDetectionOutput(Composition& c,
                                                               std::span<const Value> operands,
                                                               const Attributes& attributes) {
  const auto attrs = Unpack<RefinedDetectionOutputAttrs>(attributes);
  const Shape &deltas = c.shape(operands[0]), &scores = c.shape(operands[4]);
  const int64_t N = deltas.rank() == 0 ? 1 : deltas[0], priors = c.shape(operands[2]).num_elements() / 4;
  RETURN_IF_ERROR(
      Require(scores.num_elements() == N * priors * 2, "scores of the first stage are [N, P * 2]"));
  RETURN_IF_ERROR(Require(c.shape(operands[5]).num_elements() == deltas.num_elements(),
                          "deltas of the first stage are as many as those of the boxes"));
  std::vector<Value> second(operands.begin(), operands.begin() + 4);
  second.insert(second.end(), operands.begin() + 6, operands.end());
  return Detect(c, second, attrs, Refinement{operands[4], operands[5], attrs.min_objectness});
}

}  // namespace tally
