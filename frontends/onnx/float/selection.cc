// Operators that keep the best of what they see. How many boxes NonMaxSuppression keeps depends on the data,
// and shapes here do not: its result has room for as many as there can be, and a further output says how many
// there are.
#include <algorithm>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

using quant::SuppressionResult;
using quant::TopKResult;

// The value of a size, which may be the largest integer for no limit.
absl::StatusOr<int64_t> SizeConstant(NodeContext& node, size_t index) {
  ASSIGN_OR_RETURN(const double size, node.NumberConstant(index));
  return static_cast<int64_t>(std::clamp<double>(size, 0, static_cast<double>(quant::kMaxAttribute)));
}

// `fallback` where the input is left out.
absl::StatusOr<float> OptionalNumber(NodeContext& node, size_t index, float fallback) {
  if (!node.HasInput(index)) return fallback;
  ASSIGN_OR_RETURN(const double number, node.NumberConstant(index));
  return static_cast<float>(number);
}

absl::Status FinishTopK(NodeContext& node, int64_t k, bool largest) {
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", -1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  constexpr TopKResult kResults[] = {TopKResult::kValues, TopKResult::kIndices};
  for (size_t i = 0; i < std::size(kResults); ++i) {
    if (!node.IsRead(i)) continue;
    RETURN_IF_ERROR(node.FinishOutput(i, quant::TopK{axis, k, !largest, kResults[i]}, {x}));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ImportTopKByAttribute(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const int64_t k, node.attributes().Int("k", 0));
  return FinishTopK(node, k, /*largest=*/true);
}

// Without `sorted` any order will do.
absl::Status ImportTopK(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const int64_t k, SizeConstant(node, 1));
  ASSIGN_OR_RETURN(const bool largest, node.attributes().Bool("largest", true));
  node.attributes().Ignore("sorted");
  return FinishTopK(node, k, largest);
}

absl::Status ImportNonMaxSuppression(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 5));
  ASSIGN_OR_RETURN(const Operand boxes, node.Input(0));
  ASSIGN_OR_RETURN(const Operand scores, node.Input(1));
  ASSIGN_OR_RETURN(const bool is_center, node.attributes().Bool("center_point_box", false));
  int64_t most = 0;
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(most, SizeConstant(node, 2));
  }
  if (most < 1) return MakeError(label::model_shape, "max_output_boxes_per_class is 0: an empty result");
  quant::NonMaxSuppression op = {
      .encoding = is_center ? BoxEncoding::kCenter : BoxEncoding::kCorners,
      .max_per_class =
          std::min(most, quant::kMaxAttribute),  // exporters write the largest integer for no limit
  };
  ASSIGN_OR_RETURN(op.iou_threshold, OptionalNumber(node, 3, 0));
  ASSIGN_OR_RETURN(op.score_threshold, OptionalNumber(node, 4, -std::numeric_limits<float>::infinity()));
  RETURN_IF_ERROR(node.Finish(op, {boxes, scores}));
  op.result = SuppressionResult::kCount;
  ASSIGN_OR_RETURN(const Operand count, node.Emit(op, {boxes, scores}, "count"));
  return node.CountRows(count);
}

}  // namespace tally::onnx
