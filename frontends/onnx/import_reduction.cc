#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "frontends/onnx/axis.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {

using quant::Shape;

namespace {

// Softmax or its logarithm.
template <typename Softmax>
absl::Status FinishAlongAxis(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", -1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  return node.Finish(Softmax{axis}, {x});
}

// Before opset 13: over all dimensions from `axis` on, as if they were one.
template <typename Softmax>
absl::Status FinishFlat(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  const Shape& shape = x.shape();
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", 1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, shape.size()));
  const int64_t num_lines = quant::NumElements(Shape(shape.begin(), shape.begin() + axis));
  const int64_t size = quant::NumElements(shape) / num_lines;
  if (size == shape[axis]) return node.Finish(Softmax{axis}, {x});
  ASSIGN_OR_RETURN(const Operand flat, node.Emit(quant::Reshape{{num_lines, size}}, {x}, "flat"));
  ASSIGN_OR_RETURN(const Operand softmax, node.Emit(Softmax{1}, {flat}, "softmax"));
  return node.Finish(quant::Reshape{shape}, {softmax});
}

// What a reduction over axes says.
struct Reduction {
  Operand x;
  std::vector<int64_t> axes;  // ascending; none, where nothing is to be reduced
  bool keep_dimensions = true;
};

// The axes are an attribute at first and an input from opset `input_since` on; none of them are all of them,
// but where the node says noop_with_empty_axes.
absl::StatusOr<Reduction> ReductionOf(NodeContext& node, int64_t input_since) {
  const bool by_input = node.opset() >= input_since;
  RETURN_IF_ERROR(node.CheckInputCount(1, by_input ? 2 : 1));
  Reduction result;
  ASSIGN_OR_RETURN(result.x, node.Input(0));
  ASSIGN_OR_RETURN(result.keep_dimensions, node.attributes().Bool("keepdims", true));
  std::vector<int64_t> axes;
  bool all_by_default = true;
  if (!by_input) {
    ASSIGN_OR_RETURN(const auto attribute, node.attributes().Ints("axes"));
    axes = attribute.value_or(axes);
  } else {
    if (node.HasInput(1)) {
      ASSIGN_OR_RETURN(const quant::Int64Tensor* input, node.IntConstant(1));
      axes = input->data;
    }
    ASSIGN_OR_RETURN(const bool noop, node.attributes().Bool("noop_with_empty_axes", false));
    all_by_default = !noop;
  }
  const size_t rank = result.x.shape().size();
  if (axes.empty() && all_by_default) axes = AxesFrom(0, rank);
  ASSIGN_OR_RETURN(result.axes, NormalizeAxes(std::move(axes), rank));
  return result;
}

absl::Status FinishExtreme(NodeContext& node, bool is_min) {
  ASSIGN_OR_RETURN(const Reduction r, ReductionOf(node, 18));
  if (r.axes.empty()) return node.FinishAs(r.x);
  return node.Finish(quant::ReduceExtreme{r.axes, r.keep_dimensions, is_min}, {r.x});
}

absl::Status FinishArgExtreme(NodeContext& node, bool is_min) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", 0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  ASSIGN_OR_RETURN(const bool keep_dimension, node.attributes().Bool("keepdims", true));
  ASSIGN_OR_RETURN(const bool takes_last, node.attributes().Bool("select_last_index", false));
  return node.Finish(quant::ArgExtreme{axis, keep_dimension, is_min, takes_last}, {x});
}

absl::StatusOr<Operand> Square(NodeContext& node, const Operand& x) {
  return node.Emit(quant::Mul{}, {x, x}, "square");
}

// function(the sum of what `each` makes of the elements)
template <typename Each>
absl::Status FinishSum(NodeContext& node, Each each, std::optional<RecipeFunction> function) {
  ASSIGN_OR_RETURN(const Reduction r, ReductionOf(node, 18));
  if (r.axes.empty()) return node.FinishAs(r.x);
  ASSIGN_OR_RETURN(const Operand terms, each(r.x));
  const quant::ReduceSum sum = {.axes = r.axes, .keep_dimensions = r.keep_dimensions};
  if (!function.has_value()) return node.Finish(sum, {terms});
  ASSIGN_OR_RETURN(const Operand whole, node.Emit(sum, {terms}, "sum"));
  return node.Finish(quant::Unary{*function}, {whole});
}

}  // namespace

absl::Status ImportReduceSum(NodeContext& node) {
  ASSIGN_OR_RETURN(const Reduction r, ReductionOf(node, 13));
  if (r.axes.empty()) return node.FinishAs(r.x);
  return node.Finish(quant::ReduceSum{.axes = r.axes, .keep_dimensions = r.keep_dimensions}, {r.x});
}

absl::Status ImportReduceMean(NodeContext& node) {
  ASSIGN_OR_RETURN(const Reduction r, ReductionOf(node, 18));
  if (r.axes.empty()) return node.FinishAs(r.x);
  const Shape& shape = r.x.shape();
  if (shape.size() != 4 || r.axes != std::vector<int64_t>{2, 3}) {
    return node.Finish(
        quant::ReduceSum{.axes = r.axes, .keep_dimensions = r.keep_dimensions, .is_mean = true}, {r.x});
  }
  if (r.keep_dimensions) return node.Finish(quant::GlobalAveragePool{}, {r.x});
  ASSIGN_OR_RETURN(const Operand pooled, node.Emit(quant::GlobalAveragePool{}, {r.x}, "pooled"));
  return node.Finish(quant::Reshape{{shape[0], shape[1]}}, {pooled});
}

absl::Status ImportReduceL1(NodeContext& node) {
  return FinishSum(
      node,
      [&](const Operand& x) {
        return node.Emit(quant::Slopes{-1, 1}, {x}, "magnitude");
      },
      std::nullopt);
}

absl::Status ImportReduceL2(NodeContext& node) {
  return FinishSum(
      node, [&](const Operand& x) { return Square(node, x); }, RecipeFunction::kSqrt);
}

absl::Status ImportReduceSumSquare(NodeContext& node) {
  return FinishSum(
      node, [&](const Operand& x) { return Square(node, x); }, std::nullopt);
}

absl::Status ImportReduceLogSum(NodeContext& node) {
  return FinishSum(
      node, [](const Operand& x) -> absl::StatusOr<Operand> { return x; }, RecipeFunction::kLog);
}

// The largest element is taken off first, so that no exponential leaves its range.
absl::Status ImportReduceLogSumExp(NodeContext& node) {
  ASSIGN_OR_RETURN(const Reduction r, ReductionOf(node, 18));
  if (r.axes.empty()) return node.FinishAs(r.x);
  ASSIGN_OR_RETURN(const Operand largest, node.Emit(quant::ReduceExtreme{r.axes, true, false}, {r.x}, "max"));
  ASSIGN_OR_RETURN(const Operand below, node.Emit(quant::Sub{}, {r.x, largest}, "below"));
  ASSIGN_OR_RETURN(const Operand powers, node.Emit(quant::Unary{RecipeFunction::kExp}, {below}, "exp"));
  ASSIGN_OR_RETURN(const Operand sum, node.Emit(quant::ReduceSum{r.axes, true}, {powers}, "sum"));
  ASSIGN_OR_RETURN(const Operand log, node.Emit(quant::Unary{RecipeFunction::kLog}, {sum}, "log"));
  if (r.keep_dimensions) return node.Finish(quant::Add{}, {log, largest});
  ASSIGN_OR_RETURN(const Operand result, node.Emit(quant::Add{}, {log, largest}, "kept"));
  Shape shape;
  for (size_t i = 0; i < r.x.shape().size(); ++i) {
    if (std::ranges::find(r.axes, static_cast<int64_t>(i)) == r.axes.end()) shape.push_back(r.x.shape()[i]);
  }
  return node.Finish(quant::Reshape{shape}, {result});
}

absl::Status ImportReduceMax(NodeContext& node) { return FinishExtreme(node, /*is_min=*/false); }

absl::Status ImportReduceMin(NodeContext& node) { return FinishExtreme(node, /*is_min=*/true); }

absl::Status ImportSoftmax(NodeContext& node) { return FinishAlongAxis<quant::Softmax>(node); }
absl::Status ImportFlatSoftmax(NodeContext& node) { return FinishFlat<quant::Softmax>(node); }
absl::Status ImportLogSoftmax(NodeContext& node) { return FinishAlongAxis<quant::LogSoftmax>(node); }
absl::Status ImportFlatLogSoftmax(NodeContext& node) { return FinishFlat<quant::LogSoftmax>(node); }

absl::Status ImportArgMax(NodeContext& node) { return FinishArgExtreme(node, /*is_min=*/false); }

absl::Status ImportArgMin(NodeContext& node) { return FinishArgExtreme(node, /*is_min=*/true); }

}  // namespace tally::onnx
