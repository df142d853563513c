#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/norms.h"
#include "frontends/graph/compositions/reductions.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {

namespace {

// Softmax or its logarithm.
template <typename Softmax>
absl::Status FinishAlongAxis(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", -1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  return node.Finish(Softmax{axis}, {x});
}

// Before opset 13: over all dimensions from `axis` on, as if they were one.
absl::Status FinishFlat(NodeContext& node, bool is_log) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", 1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  return node.FinishAs(FlatSoftmax(node, x, axis, is_log));
}

// The axes are an attribute at first and an input from opset `input_since` on; none of them are all of them,
// but where the node says noop_with_empty_axes.
absl::Status FinishReduction(NodeContext& node, ReductionKind kind, int64_t input_since = 18) {
  const bool by_input = node.opset() >= input_since;
  RETURN_IF_ERROR(node.CheckInputCount(1, by_input ? 2 : 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  Reduction reduction;
  ASSIGN_OR_RETURN(reduction.keep_dimensions, node.attributes().Bool("keepdims", true));
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
  if (axes.empty() && all_by_default) axes = AxesFrom(0, x.shape().size());
  ASSIGN_OR_RETURN(reduction.axes, NormalizeAxes(std::move(axes), x.shape().size()));
  return node.FinishAs(Reduce(node, kind, x, reduction));
}

absl::Status FinishArgExtreme(NodeContext& node, bool is_min) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", 0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  ASSIGN_OR_RETURN(const bool keep_dimension, node.attributes().Bool("keepdims", true));
  ASSIGN_OR_RETURN(const bool takes_last, node.attributes().Bool("select_last_index", false));
  return node.Finish(quant::ArgExtreme{axis, keep_dimension, is_min, takes_last}, {x});
}

}  // namespace

absl::Status ImportReduceL1(NodeContext& node) { return FinishReduction(node, ReductionKind::kL1); }
absl::Status ImportReduceL2(NodeContext& node) { return FinishReduction(node, ReductionKind::kL2); }
absl::Status ImportReduceLogSum(NodeContext& node) { return FinishReduction(node, ReductionKind::kLogSum); }
absl::Status ImportReduceLogSumExp(NodeContext& node) {
  return FinishReduction(node, ReductionKind::kLogSumExp);
}
absl::Status ImportReduceMax(NodeContext& node) { return FinishReduction(node, ReductionKind::kMax); }
absl::Status ImportReduceMean(NodeContext& node) { return FinishReduction(node, ReductionKind::kMean); }
absl::Status ImportReduceMin(NodeContext& node) { return FinishReduction(node, ReductionKind::kMin); }
absl::Status ImportReduceSum(NodeContext& node) { return FinishReduction(node, ReductionKind::kSum, 13); }
absl::Status ImportReduceSumSquare(NodeContext& node) {
  return FinishReduction(node, ReductionKind::kSumSquare);
}

absl::Status ImportSoftmax(NodeContext& node) { return FinishAlongAxis<quant::Softmax>(node); }
absl::Status ImportFlatSoftmax(NodeContext& node) { return FinishFlat(node, /*is_log=*/false); }
absl::Status ImportLogSoftmax(NodeContext& node) { return FinishAlongAxis<quant::LogSoftmax>(node); }
absl::Status ImportFlatLogSoftmax(NodeContext& node) { return FinishFlat(node, /*is_log=*/true); }

absl::Status ImportArgMax(NodeContext& node) { return FinishArgExtreme(node, /*is_min=*/false); }

absl::Status ImportArgMin(NodeContext& node) { return FinishArgExtreme(node, /*is_min=*/true); }

}  // namespace tally::onnx
