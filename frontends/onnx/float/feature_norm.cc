#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/norms.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {

namespace {

absl::StatusOr<NormWeights> ReadWeights(NodeContext& node) {
  NormWeights weights;
  ASSIGN_OR_RETURN(weights.scale, node.Input(1));
  ASSIGN_OR_RETURN(weights.bias, node.Input(2));
  return weights;
}

}  // namespace

absl::Status ImportLayerNormalization(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 3));
  ASSIGN_OR_RETURN(std::vector<Operand> operands, node.Inputs());
  const size_t rank = operands[0].shape().size();
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", -1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, rank));
  ASSIGN_OR_RETURN(const float epsilon, node.attributes().Float("epsilon", 1e-5f));
  node.attributes().Ignore("stash_type");  // the precision of the mean and the deviation
  const std::vector<int64_t> axes = AxesFrom(axis, rank);
  if (node.IsRead(1) || node.IsRead(2)) {
    ASSIGN_OR_RETURN(const NormStatistics statistics, StatisticsOf(node, operands[0], axes, epsilon));
    if (node.IsRead(1)) RETURN_IF_ERROR(node.FinishOutputAs(1, statistics.mean));
    if (node.IsRead(2)) RETURN_IF_ERROR(node.FinishOutputAs(2, statistics.inverse_deviation));
  }
  return node.FinishOutput(0, quant::LayerNorm{axes, epsilon}, operands);
}

absl::Status ImportInstanceNormalization(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const float epsilon, node.attributes().Float("epsilon", 1e-5f));
  ASSIGN_OR_RETURN(const NormWeights weights, ReadWeights(node));
  return node.FinishAs(InstanceNorm(node, x, epsilon, weights));
}

// Scale and bias have an entry for each group before opset 21, for each channel from there on.
absl::Status ImportGroupNormalization(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const float epsilon, node.attributes().Float("epsilon", 1e-5f));
  ASSIGN_OR_RETURN(const int64_t groups, node.attributes().Int("num_groups", 0));
  node.attributes().Ignore("stash_type");
  ASSIGN_OR_RETURN(const NormWeights weights, ReadWeights(node));
  return node.FinishAs(GroupNorm(node, x, groups, epsilon, weights, /*by_channel=*/node.opset() >= 21));
}

absl::Status ImportLpNormalization(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t p, node.attributes().Int("p", 2));
  if (p != 2)
    return MakeError(label::model_unsupported_attribute, "p = " + std::to_string(p) + " is not imported");
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", -1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  return node.FinishAs(L2Norm(node, x, {axis}, 0.0f));
}

// The addend 1e-9 of ONNX's deviation is lost in its floats.
absl::Status ImportMeanVarianceNormalization(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const auto wanted, node.attributes().Ints("axes"));
  ASSIGN_OR_RETURN(std::vector<int64_t> axes,
                   NormalizeAxes(wanted.value_or(std::vector<int64_t>{0, 2, 3}), x.shape().size()));
  return node.Finish(quant::LayerNorm{std::move(axes), 0.0f}, {x});
}

}  // namespace tally::onnx
