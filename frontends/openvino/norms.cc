// Norms and softmax.
#include "frontends/graph/compositions/norms.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/reductions.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

// The axes that input `index` says, in ascending order.
absl::StatusOr<std::vector<int64_t>> ReadAxes(IrNode& node, size_t index, size_t rank) {
  ASSIGN_OR_RETURN(std::vector<int64_t> axes, node.List(index));
  return NormalizeAxes(std::move(axes), rank);
}

}  // namespace

// From opset 5 on x is first; before, gamma and beta are.
absl::Status ImportBatchNormInference(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(5, 5));
  const char* name = node.Has("eps") ? "eps" : "epsilon";  // as some converters write it
  ASSIGN_OR_RETURN(const float epsilon, node.Float(name));
  std::vector<Operand> operands;
  for (size_t i = 0; i < 5; ++i) {
    ASSIGN_OR_RETURN(Operand operand, node.Input(i));
    operands.push_back(std::move(operand));
  }
  if (operands[0].shape().size() == 1)
    std::rotate(operands.begin(), operands.begin() + 2, operands.begin() + 3);
  return node.Finish(quant::BatchNorm{epsilon}, operands);
}

// x, and a scale and a bias for each channel.
absl::Status ImportGroupNormalization(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  NormWeights weights;
  ASSIGN_OR_RETURN(weights.scale, node.Input(1));
  ASSIGN_OR_RETURN(weights.bias, node.Input(2));
  ASSIGN_OR_RETURN(const int64_t groups, node.Int("num_groups"));
  ASSIGN_OR_RETURN(const float epsilon, node.Float("epsilon"));
  return node.FinishAs(GroupNorm(node, x, groups, epsilon, weights, /*by_channel=*/true));
}

absl::Status ImportGRN(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const float bias, node.Float("bias"));
  if (x.shape().size() < 2) return MakeError(label::model_shape, "x has no channels");
  return node.FinishAs(L2Norm(node, x, {1}, bias));
}

absl::Status ImportNormalizeL2(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const std::vector<int64_t> axes, ReadAxes(node, 1, x.shape().size()));
  ASSIGN_OR_RETURN(const float epsilon, node.Float("eps"));
  ASSIGN_OR_RETURN(const std::string mode, node.Word("eps_mode"));
  if (axes.empty()) return Unsupported("a norm over no axes");
  if (mode == "add") return node.FinishAs(L2Norm(node, x, axes, epsilon));
  if (mode == "max" && epsilon > 0) return node.FinishAs(L2NormFrom(node, x, axes, std::sqrt(epsilon)));
  return Malformed("eps_mode is " + PrintableStart(mode) + ", or eps is not positive");
}

// Across channels, or within those of an image.
absl::Status ImportLRN(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const std::vector<int64_t> axes, ReadAxes(node, 1, x.shape().size()));
  ASSIGN_OR_RETURN(const float alpha, node.Float("alpha"));
  ASSIGN_OR_RETURN(const float beta, node.Float("beta"));
  ASSIGN_OR_RETURN(const float bias, node.Float("bias"));
  ASSIGN_OR_RETURN(const int64_t size, node.Int("size"));
  if (size < 1 || size % 2 == 0 || size > quant::kMaxAttribute)
    return Unsupported("a norm over an even size");
  if (axes == std::vector<int64_t>{1})
    return node.Finish(quant::LocalResponseNorm{size, alpha, beta, bias}, {x});
  if (axes != std::vector<int64_t>{2, 3}) return Unsupported("a norm over other axes than 1, or 2 and 3");
  const Extents around(2, size / 2), one(2, 1);
  return node.FinishAs(
      LocalNormWithin(node, x, {{{size, size}, one, one, around, around}, alpha, beta, bias}));
}

// Over all axes but the batch, or the channels too; from opset 6 on over those that an input says.
absl::Status ImportMVN(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  const size_t rank = x.shape().size();
  ASSIGN_OR_RETURN(const bool divides, node.Flag("normalize_variance", true));
  ASSIGN_OR_RETURN(const float epsilon, node.Float("eps"));
  std::vector<int64_t> axes;
  bool inside = true;
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(axes, ReadAxes(node, 1, rank));
    ASSIGN_OR_RETURN(const std::string mode, node.Word("eps_mode", "inside_sqrt"));
    inside = mode == "inside_sqrt";
  } else {
    ASSIGN_OR_RETURN(const bool across, node.Flag("across_channels", true));
    axes = AxesFrom(across ? 1 : 2, rank);
  }
  if (axes.empty()) return MakeError(label::model_shape, "there is nothing to normalize over");
  ASSIGN_OR_RETURN(const Operand mean, Reduce(node, ReductionKind::kMean, x, {.axes = axes}));
  if (!divides) return node.FinishAs(Difference(node, x, mean));
  if (!inside) {
    ASSIGN_OR_RETURN(const Operand centered, Difference(node, x, mean));
    ASSIGN_OR_RETURN(const Operand squares, Product(node, centered, centered));
    ASSIGN_OR_RETURN(const Operand variance, Reduce(node, ReductionKind::kMean, squares, {.axes = axes}));
    ASSIGN_OR_RETURN(const Operand root,
                     node.Emit(quant::Unary{RecipeFunction::kSqrt}, {variance}, "deviation"));
    ASSIGN_OR_RETURN(const Operand added, node.NewConstant(epsilon, "epsilon"));
    ASSIGN_OR_RETURN(const Operand divisor, Sum(node, root, added));
    return node.FinishAs(Quotient(node, centered, divisor));
  }
  if (rank >= 3 && axes == AxesFrom(2, rank)) return node.FinishAs(InstanceNorm(node, x, epsilon, {}));
  if (rank >= 3 && axes == AxesFrom(1, rank)) return node.FinishAs(GroupNorm(node, x, 1, epsilon, {}, false));
  ASSIGN_OR_RETURN(const NormStatistics statistics, StatisticsOf(node, x, axes, epsilon));
  ASSIGN_OR_RETURN(const Operand centered, Difference(node, x, statistics.mean));
  return node.FinishAs(Product(node, centered, statistics.inverse_deviation));
}

absl::Status ImportLogSoftmax(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t given, node.Int("axis", 1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(given, x.shape().size()));
  return node.Finish(quant::LogSoftmax{axis}, {x});
}

absl::Status ImportSoftMax(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t given, node.Int("axis", 1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(given, x.shape().size()));
  return node.Finish(quant::Softmax{axis}, {x});
}

}  // namespace tally::openvino
