#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/reductions.h"
#include "frontends/graph/compositions/windows.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/read_windows.h"

namespace tally::onnx {
namespace {

struct PoolOperands {
  Operand x;
  LayerWindows windows;
};

absl::StatusOr<PoolOperands> ReadPoolOperands(NodeContext& node) {
  PoolOperands read;
  ASSIGN_OR_RETURN(read.x, node.OnlyInput());
  RETURN_IF_ERROR(CheckPoolOperand(read.x));
  ASSIGN_OR_RETURN(read.windows,
                   ReadWindows(node.attributes(), SpatialDims(read.x.shape()), std::nullopt, true));
  return read;
}

constexpr int64_t kMostPower = 16;

// |x|^p, and the root of a sum of them.
absl::StatusOr<Operand> PowersOf(NodeContext& node, const Operand& x, int64_t p) {
  if (p == 2) return Product(node, x, x);
  ASSIGN_OR_RETURN(const Operand magnitude, Magnitude(node, x));
  if (p == 1) return magnitude;
  return node.Emit(quant::Unary{RecipeFunction::kPower, static_cast<float>(p)}, {magnitude}, "powers");
}
absl::StatusOr<Operand> RootOf(NodeContext& node, const Operand& sum, int64_t p) {
  if (p == 1) return sum;
  if (p == 2) return node.Emit(quant::Unary{RecipeFunction::kSqrt}, {sum}, "root");
  return node.Emit(quant::Unary{RecipeFunction::kPower, 1 / static_cast<float>(p)}, {sum}, "root");
}

}  // namespace

absl::Status ImportMaxPool(NodeContext& node) {
  ASSIGN_OR_RETURN(const PoolOperands read, ReadPoolOperands(node));
  node.attributes().Ignore("storage_order");  // the order of the indices, which nobody can read
  return node.FinishAs(MaxPool(node, read.x, read.windows));
}

absl::Status ImportAveragePool(NodeContext& node) {
  ASSIGN_OR_RETURN(const PoolOperands read, ReadPoolOperands(node));
  ASSIGN_OR_RETURN(const bool count_include_pad, node.attributes().Bool("count_include_pad", false));
  return node.FinishAs(AveragePool(node, read.x, read.windows, count_include_pad));
}

// (sum of |x|^p)^(1 / p): the mean over a window and its pads of zeros, times the number of its elements.
absl::Status ImportLpPool(NodeContext& node) {
  ASSIGN_OR_RETURN(const PoolOperands read, ReadPoolOperands(node));
  ASSIGN_OR_RETURN(const int64_t p, node.attributes().Int("p", 2));
  if (p < 1 || p > kMostPower) return MakeError(label::model_malformed, "attribute p is out of range");
  LayerWindows windows = read.windows;
  float taps = 1;
  for (size_t i = 0; i < windows.kernel.size(); ++i) {
    taps *= static_cast<float>(windows.kernel[i]);
    if (windows.ceil_mode) windows.pad_end[i] += windows.CeilPadding(i, read.x.shape()[2 + i]);
  }
  windows.ceil_mode = false;
  ASSIGN_OR_RETURN(const Operand powers, PowersOf(node, read.x, p));
  ASSIGN_OR_RETURN(const Operand means, AveragePool(node, powers, windows, /*count_include_pad=*/true));
  ASSIGN_OR_RETURN(const Operand sums, Affine(node, means, taps, 0));
  return node.FinishAs(RootOf(node, sums, p));
}

absl::Status ImportGlobalLpPool(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t p, node.attributes().Int("p", 2));
  if (p < 1 || p > kMostPower) return MakeError(label::model_malformed, "attribute p is out of range");
  if (x.shape().size() < 3) return MakeError(label::model_shape, "its input has no spatial axes");
  ASSIGN_OR_RETURN(const Operand powers, PowersOf(node, x, p));
  ASSIGN_OR_RETURN(const Operand sums,
                   Reduce(node, ReductionKind::kSum, powers, {.axes = AxesFrom(2, x.shape().size())}));
  return node.FinishAs(RootOf(node, sums, p));
}

absl::Status ImportGlobalAveragePool(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.FinishAs(GlobalAveragePool(node, x));
}

absl::Status ImportGlobalMaxPool(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.FinishAs(GlobalMaxPool(node, x));
}

}  // namespace tally::onnx
