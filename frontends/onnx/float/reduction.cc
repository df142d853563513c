#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/norms.h"
#include "frontends/graph/compositions/reductions.h"
#include "frontends/graph/compositions/selection.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/read_node.h"

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

// The axes are an attribute at first and an input from opset `input_since` on.
absl::Status FinishReduction(NodeContext& node, ReductionKind kind, int64_t input_since = 18) {
  RETURN_IF_ERROR(node.CheckInputCount(1, node.opset() >= input_since ? 2 : 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(ReducedAxes read, ReadReducedAxes(node, input_since));
  const size_t rank = x.shape().size();
  if (read.axes.empty() && !read.is_identity) read.axes = AxesFrom(0, rank);
  Reduction reduction = {.keep_dimensions = read.keep_dimensions};
  ASSIGN_OR_RETURN(reduction.axes, NormalizeAxes(std::move(read.axes), rank));
  return node.FinishAs(Reduce(node, kind, x, reduction));
}

absl::Status FinishArgExtreme(NodeContext& node, bool is_min) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const ArgExtremeForm read, ReadArgExtreme(node));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(read.axis, x.shape().size()));
  return node.Finish(quant::ArgExtreme{axis, read.keep_dimension, is_min, read.takes_last}, {x});
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
absl::Status ImportReduceProd(NodeContext& node) { return FinishReduction(node, ReductionKind::kProduct); }
absl::Status ImportReduceMin(NodeContext& node) { return FinishReduction(node, ReductionKind::kMin); }
absl::Status ImportReduceSum(NodeContext& node) { return FinishReduction(node, ReductionKind::kSum, 13); }
absl::Status ImportReduceSumSquare(NodeContext& node) {
  return FinishReduction(node, ReductionKind::kSumSquare);
}

absl::Status ImportSoftmax(NodeContext& node) { return FinishAlongAxis<quant::Softmax>(node); }
absl::Status ImportFlatSoftmax(NodeContext& node) { return FinishFlat(node, /*is_log=*/false); }
absl::Status ImportLogSoftmax(NodeContext& node) { return FinishAlongAxis<quant::LogSoftmax>(node); }
absl::Status ImportFlatLogSoftmax(NodeContext& node) { return FinishFlat(node, /*is_log=*/true); }

// 1 where the largest element along the axis is first, else 0.
absl::Status ImportHardmax(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", -1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  ASSIGN_OR_RETURN(const Operand best, node.Emit(quant::ArgExtreme{axis, false}, {x}, "best"));
  ASSIGN_OR_RETURN(const Operand values, node.NewConstant(quant::FloatTensor{{2}, {0, 1}}, "values"));
  return node.FinishAs(OneHot(node, best, axis, x.shape()[static_cast<size_t>(axis)], values, false));
}

absl::Status ImportArgMax(NodeContext& node) { return FinishArgExtreme(node, /*is_min=*/false); }

absl::Status ImportArgMin(NodeContext& node) { return FinishArgExtreme(node, /*is_min=*/true); }

}  // namespace tally::onnx
