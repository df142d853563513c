#include "ops/detection/lowering/compose.h"
#include "ops/detection/lowering/exact_boxes.h"

namespace tally {
namespace {

using detection::BigInt;
using detection::CellBox;
using detection::CellGrid;
using detection::Concat;
using detection::CornersOfGrid;
using detection::Fraction;
using detection::Lincomb;
using detection::Rational;
using detection::Require;
using detection::RoundWithRoot;
using detection::Slice;
using detection::TakeRows;

// The anchors of every cell, [H * W * K, 4]: ratio by ratio, and scale by scale in each.
absl::StatusOr<Value> Anchors(Composition& c, const ProposalAttrs& attrs, int64_t H, int64_t W) {
  const Rational units(BigInt(int64_t{1} << attrs.grid_bits)), size(BigInt(attrs.base_size)),
      pixel(BigInt(attrs.pixel));
  std::vector<CellBox> boxes;
  for (const int64_t numerator : attrs.ratios) {
    const Rational ratio = Fraction(numerator, attrs.ratio_denominator);
    Rational width_squared = size * size / ratio, height_squared = size * size * ratio;
    if (attrs.round_ratios) {
      const BigInt width = RoundWithRoot(0, 1, width_squared);
      const BigInt height = RoundWithRoot(Rational(width) * ratio, 1, 0);
      width_squared = Rational(BigInt(width * width));
      height_squared = Rational(BigInt(height * height));
    }
    for (const int64_t scale_numerator : attrs.scales) {
      const Rational scale = Fraction(scale_numerator, attrs.scale_denominator);
      boxes.push_back({0, 0, width_squared * scale * scale, height_squared * scale * scale});
    }
  }
  // An anchor spans the pixels from its low corner to the last one: its high corner is `pixel` less than its
  // end.
  const CellGrid grid = {.rows = H,
                         .columns = W,
                         .row_step = Rational(BigInt(attrs.feat_stride)),
                         .column_step = Rational(BigInt(attrs.feat_stride)),
                         .offset = size / 2 / attrs.feat_stride,
                         .y_scale = units,
                         .x_scale = units};
  ASSIGN_OR_RETURN(std::vector<int64_t> corners, CornersOfGrid(grid, boxes));
  for (size_t i = 0; i < corners.size(); i += 4) {
    corners[i + 2] -= attrs.pixel << attrs.grid_bits;
    corners[i + 3] -= attrs.pixel << attrs.grid_bits;
  }
  return c.Constant({static_cast<int64_t>(corners.size()) / 4, 4}, corners);
}

// 1 for the boxes [N, P, 4] whose sides are at least `least` (height, width), else 0: [N, P, 1].
absl::StatusOr<Value> LargeEnough(Composition& c, Value boxes, int64_t offset,
                                  std::span<const int64_t> least) {
  std::vector<Value> masks;
  for (int64_t axis = 0; axis < 2; ++axis) {
    ASSIGN_OR_RETURN(const Value lo, Slice(c, boxes, 2, axis, axis + 1));
    ASSIGN_OR_RETURN(const Value hi, Slice(c, boxes, 2, axis + 2, axis + 3));
    ASSIGN_OR_RETURN(const Value excess, Lincomb(c, {hi, lo}, {1, -1}, offset - least[1 - axis] + 1, 0));
    ASSIGN_OR_RETURN(const Value mask, c.Apply(Opcode::kClip, {excess}, ClipAttrs{0, 1}));
    masks.push_back(mask);
  }
  return c.Apply(Opcode::kBroadcastMul, masks);
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerProposal(Composition& c, std::span<const Value> operands,
                                                 const Attributes& attributes) {
  const auto attrs = Unpack<ProposalAttrs>(attributes);
  const Shape probabilities = c.shape(operands[0]), deltas = c.shape(operands[1]);
  const int64_t K = static_cast<int64_t>(attrs.ratios.size() * attrs.scales.size());
  RETURN_IF_ERROR(
      Require(probabilities.rank() == 4 && probabilities[1] == 2 * K, "class_probs are [N, 2 * K, H, W]"));
  const int64_t N = probabilities[0], H = probabilities[2], W = probabilities[3];
  RETURN_IF_ERROR(
      Require(deltas.rank() == 4 && deltas[0] == N && deltas[1] == 4 * K && deltas[2] == H && deltas[3] == W,
              "bbox_deltas are [N, 4 * K, H, W]"));
  ASSIGN_OR_RETURN(const Value anchors, Anchors(c, attrs, H, W));
  const int64_t P = H * W * K, units = int64_t{1} << attrs.grid_bits, offset = attrs.pixel * units;
  const std::vector<int64_t> limits = {attrs.image_size[1] * units - offset,
                                       attrs.image_size[0] * units - offset};

  ASSIGN_OR_RETURN(Value boxes, Reshape(c, operands[1], {N, K, 4, H, W}));
  ASSIGN_OR_RETURN(boxes, Transpose(c, boxes, {0, 3, 4, 1, 2}));
  ASSIGN_OR_RETURN(boxes, Reshape(c, boxes, {N, P, 4}));
  const Value variances = c.Constant({1, 2}, {attrs.center_factor, attrs.center_factor});
  ASSIGN_OR_RETURN(
      boxes, LowerOne(c, "box_decode", std::vector<Value>{boxes, anchors, variances, operands[2]},
                      BoxDecodeAttrs{.fraction = attrs.fraction,
                                     .table_offset = attrs.table_offset,
                                     .side_offset = offset,
                                     .limits = attrs.clip_before_nms ? limits : std::vector<int64_t>{}}));

  ASSIGN_OR_RETURN(Value scores, Slice(c, operands[0], 1, K, 2 * K));
  ASSIGN_OR_RETURN(scores, Transpose(c, scores, {0, 2, 3, 1}));
  ASSIGN_OR_RETURN(scores, Reshape(c, scores, {N, P, 1}));
  const std::vector<int64_t> least = {attrs.min_size[0] * units, attrs.min_size[1] * units};
  ASSIGN_OR_RETURN(const Value mask, LargeEnough(c, boxes, offset, least));
  ASSIGN_OR_RETURN(scores, c.Apply(Opcode::kBroadcastMul, {scores, mask}));
  ASSIGN_OR_RETURN(const Value one_class, Reshape(c, scores, {N, 1, P}));

  ASSIGN_OR_RETURN(const std::vector<Value> kept,
                   c.Emit(Opcode::kNms, {boxes, one_class},
                          Pack(NmsAttrs{.encoding = BoxEncoding::kOrderedCorners,
                                        .side_offset = offset,
                                        .iou_numerator = attrs.iou_numerator,
                                        .iou_denominator = attrs.iou_denominator,
                                        .top_k = attrs.pre_nms,
                                        .max_per_class = attrs.post_nms,
                                        .batches = NmsBatches::kApart})));
  const int64_t rows = c.shape(kept[0])[0], missing = attrs.post_nms - rows / N;
  ASSIGN_OR_RETURN(const Value image, Slice(c, kept[0], 1, 0, 1));
  ASSIGN_OR_RETURN(const Value box, Slice(c, kept[0], 1, 2, 3));
  ASSIGN_OR_RETURN(Value row, Lincomb(c, {image, box}, {P, 1}, 1, 0));
  ASSIGN_OR_RETURN(row, Reshape(c, row, {rows}));
  ASSIGN_OR_RETURN(boxes, Reshape(c, boxes, {N * P, 4}));
  ASSIGN_OR_RETURN(Value corners, TakeRows(c, boxes, row));
  if (attrs.clip_after_nms) {
    ASSIGN_OR_RETURN(corners, detection::ClipCorners(c, corners, limits));
  }
  ASSIGN_OR_RETURN(scores, Reshape(c, scores, {N * P, 1}));
  ASSIGN_OR_RETURN(const Value score, TakeRows(c, scores, row));
  ASSIGN_OR_RETURN(const Value batch, c.Apply(Opcode::kRelu, {image}));

  const auto filled = [&](std::vector<Value> parts) -> absl::StatusOr<Value> {
    ASSIGN_OR_RETURN(Value x, Concat(c, std::move(parts), 1));
    const int64_t columns = c.shape(x)[1];
    ASSIGN_OR_RETURN(x, Reshape(c, x, {N, rows / N, columns}));
    if (missing > 0) {
      ASSIGN_OR_RETURN(
          x, c.Apply(Opcode::kPad, {x}, PadAttrs{.before = {0, 0, 0}, .after = {0, missing, 0}, .value = 0}));
    }
    return Reshape(c, x, {N * attrs.post_nms, columns});
  };
  ASSIGN_OR_RETURN(const Value rois, filled({batch, corners}));
  ASSIGN_OR_RETURN(const Value roi_scores, filled({score}));
  return std::vector<Value>{rois, roi_scores, kept[1]};
}

}  // namespace tally
