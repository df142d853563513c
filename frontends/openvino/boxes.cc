// Layers that choose boxes by their scores.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/compositions/detection.h"
#include "frontends/graph/compositions/gather.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

absl::StatusOr<double> NumberOr(IrNode& node, size_t index, double fallback) {
  if (!node.HasInput(index)) return fallback;
  return node.NumberConstant(index);
}

// Rows (image, class, score) of the chosen boxes, -1 where there is none.
absl::StatusOr<Operand> ScoreRows(IrNode& node, const Operand& rows, const Operand& scores) {
  const int64_t count = rows.shape()[0];
  ASSIGN_OR_RETURN(const Operand places, Part(node, rows, 1, 0, 2, "places"));
  ASSIGN_OR_RETURN(const Operand floats, node.Emit(quant::ToFloat{}, {places}, "floats"));
  ASSIGN_OR_RETURN(const Operand chosen, GatherTuples(node, scores, rows, 0));
  ASSIGN_OR_RETURN(const Operand image, Part(node, rows, 1, 0, 1, "image"));
  ASSIGN_OR_RETURN(const Operand zero, node.NewConstant(int64_t{0}, "zero"));
  ASSIGN_OR_RETURN(const Operand is_there,
                   node.Emit(quant::Compare{Comparison::kGreaterEqual}, {image, zero}, "is_there"));
  ASSIGN_OR_RETURN(const Operand column, node.Emit(quant::Reshape{{count, 1}}, {chosen}, "column"));
  ASSIGN_OR_RETURN(const Operand none, node.NewConstant(-1.0f, "none"));
  ASSIGN_OR_RETURN(const Operand filled, node.Emit(quant::Where{}, {is_there, column, none}, "filled"));
  return node.Emit(quant::Concat{1}, {floats, filled}, "score_rows");
}

}  // namespace

// boxes [N, B, 4], scores [N, C, B] -> rows (image, class, box), then -1; from opset 5 on rows of scores and
// how many rows there are too. A score that is the threshold itself is taken. Before opset 4 there are at
// most as many rows as boxes of an image.
absl::Status ImportNonMaxSuppression(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 6));
  ASSIGN_OR_RETURN(const Operand boxes, node.Input(0));
  ASSIGN_OR_RETURN(const Operand scores, node.Input(1));
  ASSIGN_OR_RETURN(const double most, NumberOr(node, 2, 0));
  ASSIGN_OR_RETURN(const double overlap, NumberOr(node, 3, 0));
  ASSIGN_OR_RETURN(const double threshold, NumberOr(node, 4, 0));
  ASSIGN_OR_RETURN(const double sigma, NumberOr(node, 5, 0));
  ASSIGN_OR_RETURN(const std::string encoding, node.Word("box_encoding", "corner"));
  ASSIGN_OR_RETURN(const bool sorts, node.Flag("sort_result_descending", true));
  RETURN_IF_ERROR(node.Word("output_type", "i64").status());
  if (encoding != "corner" && encoding != "center")
    return Malformed("box_encoding is " + PrintableStart(encoding));
  if (sigma != 0) return Unsupported("soft suppression (soft_nms_sigma other than 0)");
  if (!(most >= 1)) return MakeError(label::model_shape, "max_output_boxes_per_class is 0: an empty result");
  const quant::Shape shape = scores.shape();
  if (shape.size() != 3) return MakeError(label::model_shape, "scores are " + quant::ToString(shape));
  if (sorts && shape[0] > 1) return Unsupported("boxes of several images sorted together");
  quant::NonMaxSuppression suppression = {
      .encoding = encoding == "center" ? BoxEncoding::kCenter : BoxEncoding::kCorners,
      .max_per_class = static_cast<int64_t>(std::min<double>(most, quant::kMaxAttribute)),
      .iou_threshold = static_cast<float>(overlap),
      .score_threshold =
          std::nextafter(static_cast<float>(threshold), -std::numeric_limits<float>::infinity()),
      .mixes_classes = sorts};
  ASSIGN_OR_RETURN(Operand rows, node.Emit(suppression, {boxes, scores}, "rows"));
  suppression.result = quant::SuppressionResult::kCount;
  ASSIGN_OR_RETURN(Operand counts, node.Emit(suppression, {boxes, scores}, "counts"));
  if (node.opset() < 4) {
    const int64_t kept = std::min(shape[2], suppression.max_per_class * shape[1]);
    if (kept < rows.shape()[0]) {
      if (shape[0] > 1) return Unsupported("fewer rows than boxes of several images");
      ASSIGN_OR_RETURN(rows, Part(node, rows, 0, 0, kept, "first"));
      ASSIGN_OR_RETURN(const Operand limit, node.NewConstant(kept, "kept"));
      using Kind = quant::IntegerArithmetic::Kind;
      ASSIGN_OR_RETURN(counts, node.Emit(quant::IntegerArithmetic{Kind::kMin}, {counts, limit}, "count"));
    }
  }
  RETURN_IF_ERROR(node.FinishAs(rows));
  if (node.num_outputs() == 1) return node.CountRows(counts);
  if (node.IsRead(1)) RETURN_IF_ERROR(node.FinishOutputAs(1, ScoreRows(node, rows, scores)));
  if (node.num_outputs() > 2) {
    RETURN_IF_ERROR(node.FinishOutput(2, quant::ReduceSum{{0}, true}, {counts}));
  }
  return absl::OkStatus();
}

// Rows (image, x1, y1, x2, y2); one that is not there is of its image, and 0.
absl::Status ImportProposal(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand probabilities, node.Input(0));
  ASSIGN_OR_RETURN(const Operand deltas, node.Input(1));
  const auto image = node.FloatConstant(2);
  if (!image.ok()) {
    return MakeError(label::model_unsupported_operand,
                     "the size of its image is an input: fix that (--fix NAME=HEIGHT,WIDTH,SCALE)");
  }
  const std::vector<float> size = (*image)->data;
  if (size.size() != 3 && size.size() != 4)
    return Malformed("the size of its image is neither 3 numbers nor 4");
  ProposalOptions how = {.height = size[0], .width = size[1]};
  ASSIGN_OR_RETURN(how.base_size, node.Int("base_size"));
  ASSIGN_OR_RETURN(how.stride, node.Int("feat_stride"));
  ASSIGN_OR_RETURN(how.before, node.Int("pre_nms_topn"));
  ASSIGN_OR_RETURN(how.after, node.Int("post_nms_topn"));
  ASSIGN_OR_RETURN(how.iou_threshold, node.Float("nms_thresh"));
  ASSIGN_OR_RETURN(const int64_t least, node.Int("min_size"));
  ASSIGN_OR_RETURN(how.ratios, node.Floats("ratio"));
  ASSIGN_OR_RETURN(how.scales, node.Floats("scale"));
  ASSIGN_OR_RETURN(how.clip_before, node.Flag("clip_before_nms", true));
  ASSIGN_OR_RETURN(how.clip_after, node.Flag("clip_after_nms", false));
  ASSIGN_OR_RETURN(const bool normalizes, node.Flag("normalize", false));
  ASSIGN_OR_RETURN(const float size_scale, node.Float("box_size_scale", 1));
  ASSIGN_OR_RETURN(const float place_scale, node.Float("box_coordinate_scale", 1));
  ASSIGN_OR_RETURN(const std::string framework, node.Word("framework", ""));
  for (const int64_t number : {how.base_size, how.stride, how.before, how.after}) {
    if (number < 1 || number > quant::kMaxAttribute) return Malformed("a number is out of range");
  }
  const auto is_positive = [](float v) { return v > 0; };
  if (!std::ranges::all_of(how.ratios, is_positive) || !std::ranges::all_of(how.scales, is_positive) ||
      !is_positive(size_scale) || !is_positive(place_scale) || !is_positive(how.height) ||
      !is_positive(how.width))
    return Malformed("a ratio, a scale or a size is not positive");
  how.least_height = static_cast<float>(least) * size[2];
  how.least_width = static_cast<float>(least) * size.back();
  how.center_variance = 1 / place_scale;
  how.size_variance = 1 / size_scale;
  if (framework == "tensorflow") {
    how.round_ratios = false;
    how.pixel = 0;
    how.placing = ProposalOptions::Placing::kCornersSwapped;
  } else if (!framework.empty()) {
    return Unsupported("framework " + PrintableStart(framework));
  }
  ASSIGN_OR_RETURN(const Detections found, Proposal(node, probabilities, deltas, how));
  Operand corners = found.boxes;
  if (normalizes) {
    const quant::FloatTensor parts{{4}, {1 / size[1], 1 / size[0], 1 / size[1], 1 / size[0]}};
    ASSIGN_OR_RETURN(const Operand factors, node.NewConstant(parts, "parts"));
    ASSIGN_OR_RETURN(corners, node.Emit(quant::Mul{}, {corners, factors}, "normalized"));
  }
  ASSIGN_OR_RETURN(const Operand images, node.Emit(quant::ToFloat{}, {found.images}, "images"));
  const int64_t rows = images.shape()[0];
  ASSIGN_OR_RETURN(const Operand column, node.Emit(quant::Reshape{{rows, 1}}, {images}, "column"));
  RETURN_IF_ERROR(node.Finish(quant::Concat{1}, {column, corners}));
  if (node.IsRead(1)) RETURN_IF_ERROR(node.FinishOutputAs(1, found.scores));  // from opset 4 on
  return absl::OkStatus();
}

}  // namespace tally::openvino
