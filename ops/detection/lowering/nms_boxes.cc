#include <algorithm>

#include "ops/detection/lowering/compose.h"

namespace tally {
namespace {

using detection::Lincomb;
using detection::Require;
using detection::Slice;
using detection::TakeRows;

}  // namespace

absl::StatusOr<std::vector<Value>> LowerNmsBoxes(Composition& c, std::span<const Value> operands,
                                                 const Attributes& attributes) {
  const auto attrs = Unpack<NmsBoxesAttrs>(attributes);
  const Shape boxes = c.shape(operands[0]), scores = c.shape(operands[1]);
  RETURN_IF_ERROR(Require(boxes.rank() == 3 && boxes[2] == 4, "boxes are [N, B, 4]"));
  RETURN_IF_ERROR(
      Require(scores.rank() == 3 && scores[0] == boxes[0] && scores[1] == boxes[1], "scores are [N, B, C]"));
  const int64_t N = boxes[0], B = boxes[1], C = scores[2];

  ASSIGN_OR_RETURN(const Value by_class, Transpose(c, operands[1], {0, 2, 1}));
  ASSIGN_OR_RETURN(
      const std::vector<Value> kept,
      c.Emit(Opcode::kNms, {operands[0], by_class},
             Pack(NmsAttrs{.encoding = BoxEncoding::kCenter,
                           .iou_numerator = attrs.iou_numerator,
                           .iou_denominator = attrs.iou_denominator,
                           .min_score = attrs.min_score,
                           .at_least_one = attrs.at_least_one,
                           .classes = attrs.per_class ? NmsClasses::kBestPerClass : NmsClasses::kBest,
                           .max_per_batch = attrs.max_boxes,
                           .order = NmsOrder::kScore,
                           .batches = NmsBatches::kApart})));
  const int64_t rows = c.shape(kept[0])[0], M = rows / N, missing = attrs.max_boxes - M;
  const auto padded = [&](Value x, std::vector<int64_t> dims, int64_t fill) -> absl::StatusOr<Value> {
    ASSIGN_OR_RETURN(const Value block, Reshape(c, x, dims));
    if (missing == 0) return block;
    PadAttrs pad = {.before = std::vector<int64_t>(dims.size(), 0),
                    .after = std::vector<int64_t>(dims.size(), 0)};
    pad.after[1] = missing;
    pad.value = fill;
    return c.Apply(Opcode::kPad, {block}, pad);
  };

  ASSIGN_OR_RETURN(const Value image, Slice(c, kept[0], 1, 0, 1));
  ASSIGN_OR_RETURN(const Value box, Slice(c, kept[0], 1, 2, 3));
  ASSIGN_OR_RETURN(Value row, Lincomb(c, {image, box}, {B, 1}, 1, 0));
  ASSIGN_OR_RETURN(row, Reshape(c, row, {rows}));
  ASSIGN_OR_RETURN(Value y, Reshape(c, operands[0], {N * B, 4}));
  ASSIGN_OR_RETURN(y, TakeRows(c, y, row));
  ASSIGN_OR_RETURN(y, padded(y, {N, M, 4}, 0));
  ASSIGN_OR_RETURN(Value s, Reshape(c, operands[1], {N * B, C}));
  ASSIGN_OR_RETURN(s, TakeRows(c, s, row));
  ASSIGN_OR_RETURN(s, padded(s, {N, M, C}, 0));
  ASSIGN_OR_RETURN(const Value index, padded(box, {N, M}, -1));
  return std::vector<Value>{y, s, index, kept[1]};
}

}  // namespace tally
