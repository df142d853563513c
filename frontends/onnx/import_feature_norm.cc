#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/axis.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {

using quant::Shape;

namespace {

// x, scale and bias of a norm whose weights are lists of one entry for each of `num_entries`; they are seen
// as [num_entries / inner, inner, 1, ...], to broadcast to an x of `rank` that has these axes after the
// first.
absl::StatusOr<std::vector<Operand>> WithWeights(NodeContext& node, const Operand& x, int64_t num_entries,
                                                 int64_t inner, size_t rank) {
  Shape shape = {num_entries / inner};
  if (inner > 1) shape.push_back(inner);
  shape.resize(rank - 1, 1);
  std::vector<Operand> operands = {x};
  for (const size_t index : {1, 2}) {
    ASSIGN_OR_RETURN(const Operand weights, node.Input(index));
    if (weights.shape() != Shape{num_entries}) {
      return MakeError(label::onnx_shape, "scale or bias is " + quant::ToString(weights.shape()) + ", not [" +
                                              std::to_string(num_entries) + "]");
    }
    ASSIGN_OR_RETURN(Operand seen,
                     node.Emit(quant::Reshape{shape}, {weights}, index == 1 ? "scale" : "bias"));
    operands.push_back(std::move(seen));
  }
  return operands;
}

}  // namespace

absl::Status ImportLayerNormalization(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 3));
  std::vector<Operand> operands;
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(Operand operand, node.Input(i));
    operands.push_back(std::move(operand));
  }
  const size_t rank = operands[0].shape().size();
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", -1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, rank));
  ASSIGN_OR_RETURN(const float epsilon, node.attributes().Float("epsilon", 1e-5f));
  node.attributes().Ignore("stash_type");  // the precision of the mean and the deviation
  return node.Finish(quant::LayerNorm{AxesFrom(axis, rank), epsilon}, operands);
}

absl::Status ImportInstanceNormalization(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  const size_t rank = x.shape().size();
  if (rank < 3)
    return MakeError(label::onnx_shape,
                     "x " + quant::ToString(x.shape()) + " has no axes behind the channels");
  ASSIGN_OR_RETURN(const float epsilon, node.attributes().Float("epsilon", 1e-5f));
  ASSIGN_OR_RETURN(const std::vector<Operand> operands, WithWeights(node, x, x.shape()[1], 1, rank));
  return node.Finish(quant::LayerNorm{AxesFrom(2, rank), epsilon}, operands);
}

// [N, C, ...] is normalized as [N, groups, C / groups, ...]. Scale and bias have an entry for each group
// before opset 21, for each channel from there on.
absl::Status ImportGroupNormalization(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const float epsilon, node.attributes().Float("epsilon", 1e-5f));
  ASSIGN_OR_RETURN(const int64_t groups, node.attributes().Int("num_groups", 0));
  node.attributes().Ignore("stash_type");
  const Shape& shape = x.shape();
  if (shape.size() < 2)
    return MakeError(label::onnx_shape, "x " + quant::ToString(shape) + " has no channels");
  if (groups < 1 || shape[1] % groups != 0) {
    return MakeError(label::onnx_malformed, "num_groups does not divide the channels");
  }
  const int64_t channels = shape[1] / groups;
  Shape grouped = shape;
  grouped[1] = groups;
  grouped.insert(grouped.begin() + 2, channels);
  const bool by_channel = node.opset() >= 21;
  ASSIGN_OR_RETURN(const Operand apart, node.Emit(quant::Reshape{grouped}, {x}, "grouped"));
  ASSIGN_OR_RETURN(
      const std::vector<Operand> operands,
      WithWeights(node, apart, by_channel ? shape[1] : groups, by_channel ? channels : 1, grouped.size()));
  ASSIGN_OR_RETURN(const Operand normalized,
                   node.Emit(quant::LayerNorm{AxesFrom(2, grouped.size()), epsilon}, operands, "normalized"));
  return node.Finish(quant::Reshape{shape}, {normalized});
}

// An L2 norm is sqrt(N) times the root mean square.
absl::Status ImportLpNormalization(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const int64_t p, node.attributes().Int("p", 2));
  if (p != 2)
    return MakeError(label::onnx_unsupported_attribute, "p = " + std::to_string(p) + " is not imported");
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", -1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  const double size = static_cast<double>(x.shape()[axis]);
  ASSIGN_OR_RETURN(
      const Operand scale,
      node.NewConstant(quant::FloatTensor{{1}, {static_cast<float>(1 / std::sqrt(size))}}, "scale"));
  return node.Finish(quant::RmsNorm{{axis}, 0.0f}, {x, scale});
}

// What ONNX adds to the deviation, 1e-9, is lost in its floats.
absl::Status ImportMeanVarianceNormalization(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const auto wanted, node.attributes().Ints("axes"));
  ASSIGN_OR_RETURN(std::vector<int64_t> axes,
                   NormalizeAxes(wanted.value_or(std::vector<int64_t>{0, 2, 3}), x.shape().size()));
  return node.Finish(quant::LayerNorm{std::move(axes), 0.0f}, {x});
}

}  // namespace tally::onnx
