// Reductions, and products of matrices.
#include "frontends/graph/compositions/reductions.h"

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/einsum.h"
#include "frontends/graph/compositions/products.h"
#include "frontends/graph/compositions/windows.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

// Without axes the result is x. Flags are integers, of which the least is their conjunction.
absl::Status FinishReduction(IrNode& node, ReductionKind kind) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand listed, node.InputOrEmpty(1));
  Reduction reduction;
  if (quant::NumElements(listed.shape()) > 0) {
    ASSIGN_OR_RETURN(std::vector<int64_t> axes, node.List(1));
    ASSIGN_OR_RETURN(reduction.axes, NormalizeAxes(std::move(axes), x.shape().size()));
  }
  ASSIGN_OR_RETURN(reduction.keep_dimensions, node.Flag("keep_dims", false));
  const size_t rank = x.shape().size();
  if (kind == ReductionKind::kMean && rank >= 3 && reduction.keep_dimensions &&
      reduction.axes == AxesFrom(2, rank)) {
    return node.FinishAs(GlobalAveragePool(node, x));  // as converters write it
  }
  return node.FinishAs(Reduce(node, kind, x, reduction));
}

}  // namespace

absl::Status ImportReduceL1(IrNode& node) { return FinishReduction(node, ReductionKind::kL1); }
absl::Status ImportReduceL2(IrNode& node) { return FinishReduction(node, ReductionKind::kL2); }
absl::Status ImportReduceMax(IrNode& node) { return FinishReduction(node, ReductionKind::kMax); }
absl::Status ImportReduceMean(IrNode& node) { return FinishReduction(node, ReductionKind::kMean); }
absl::Status ImportReduceMin(IrNode& node) { return FinishReduction(node, ReductionKind::kMin); }
absl::Status ImportReduceProd(IrNode& node) { return FinishReduction(node, ReductionKind::kProduct); }
absl::Status ImportReduceSum(IrNode& node) { return FinishReduction(node, ReductionKind::kSum); }

absl::Status ImportCumSum(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  quant::CumulativeSum sum;
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(const int64_t given, node.Number(1));
    ASSIGN_OR_RETURN(sum.axis, NormalizeAxis(given, x.shape().size()));
  }
  ASSIGN_OR_RETURN(sum.exclusive, node.Flag("exclusive", false));
  ASSIGN_OR_RETURN(sum.reverse, node.Flag("reverse", false));
  return node.Finish(sum, {x});
}

absl::Status ImportEinsum(IrNode& node) {
  ASSIGN_OR_RETURN(const std::string equation, node.Text("equation"));
  ASSIGN_OR_RETURN(const std::vector<Operand> operands, node.Inputs());
  return node.FinishAs(Einsum(node, equation, operands));
}

// A vector is a row on the left and a column on the right, which the attributes do not turn. The first
// document keeps the axis that this adds, and so does the result where its port says so.
absl::Status ImportMatMul(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(Operand a, node.Input(0));
  ASSIGN_OR_RETURN(Operand b, node.Input(1));
  ASSIGN_OR_RETURN(const bool transpose_a, node.Flag("transpose_a", false));
  ASSIGN_OR_RETURN(const bool transpose_b, node.Flag("transpose_b", false));
  const bool is_vector = a.shape().size() == 1 || b.shape().size() == 1;
  if (transpose_a && a.shape().size() > 1) {
    ASSIGN_OR_RETURN(a, Transposed(node, a, "transposed_a"));
  }
  if (transpose_b && b.shape().size() > 1) {
    ASSIGN_OR_RETURN(b, Transposed(node, b, "transposed_b"));
  }
  ASSIGN_OR_RETURN(const Operand y, MatrixProduct(node, a, b, 1.0f));
  const quant::Shape& port = node.file().outputs[0].dims;
  const bool keeps = is_vector && port != y.shape() && port.size() == y.shape().size() + 1;
  if (keeps && quant::CheckShape(port).ok() && quant::NumElements(port) == quant::NumElements(y.shape())) {
    return node.Finish(quant::Reshape{port}, {y});
  }
  return node.FinishAs(y);
}

}  // namespace tally::openvino
