// Comparisons, logic and choices, on integers and flags as on floats. ONNX's booleans are integers of 0 and
// 1.
#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/selection.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/read_node.h"

namespace tally::onnx {

using quant::Int64Tensor;
using Kind = quant::IntegerArithmetic::Kind;

absl::Status ImportEqual(NodeContext& node) { return node.FinishPair(quant::Compare{Comparison::kEqual}); }
absl::Status ImportGreater(NodeContext& node) {
  return node.FinishPair(quant::Compare{Comparison::kGreater});
}
absl::Status ImportGreaterOrEqual(NodeContext& node) {
  return node.FinishPair(quant::Compare{Comparison::kGreaterEqual});
}
absl::Status ImportLess(NodeContext& node) { return node.FinishPair(quant::Compare{Comparison::kLess}); }
absl::Status ImportLessOrEqual(NodeContext& node) {
  return node.FinishPair(quant::Compare{Comparison::kLessEqual});
}
absl::Status ImportAnd(NodeContext& node) { return node.FinishPair(quant::IntegerArithmetic{Kind::kMin}); }
absl::Status ImportOr(NodeContext& node) { return node.FinishPair(quant::IntegerArithmetic{Kind::kMax}); }
absl::Status ImportXor(NodeContext& node) { return node.FinishPair(quant::Compare{Comparison::kNotEqual}); }

absl::Status ImportNot(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.FinishAs(Not(node, x));
}

absl::Status ImportWhere(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand condition, node.Input(0));
  ASSIGN_OR_RETURN(const Operand a, node.SaturatedInput(1));
  ASSIGN_OR_RETURN(const Operand b, node.SaturatedInput(2));
  return node.Finish(quant::Where{}, {condition, a, b});
}

absl::Status ImportCumSum(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Int64Tensor* wanted, node.IntConstant(1));
  if (wanted->data.size() != 1) return MakeError(label::model_shape, "the axis of CumSum is not one number");
  quant::CumulativeSum sum;
  ASSIGN_OR_RETURN(sum.axis, NormalizeAxis(wanted->data[0], x.shape().size()));
  ASSIGN_OR_RETURN(sum.exclusive, node.attributes().Bool("exclusive", false));
  ASSIGN_OR_RETURN(sum.reverse, node.attributes().Bool("reverse", false));
  return node.Finish(sum, {x});
}

absl::Status ImportOneHot(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand indices, node.Input(0));
  ASSIGN_OR_RETURN(const double wanted_depth, node.NumberConstant(1));
  ASSIGN_OR_RETURN(const Operand off_and_on, node.Input(2));
  const auto depth =
      static_cast<int64_t>(std::clamp<double>(wanted_depth, 0, static_cast<double>(quant::kMaxAttribute)));
  ASSIGN_OR_RETURN(int64_t axis, node.attributes().Int("axis", -1));
  ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, indices.shape().size() + 1));
  return node.FinishAs(OneHot(node, indices, axis, depth, off_and_on, /*from_back=*/node.opset() >= 11));
}

absl::Status ImportTrilu(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const TriangleForm read, ReadTriangle(node));
  return node.FinishAs(Triangle(node, x, read.k, read.upper));
}

}  // namespace tally::onnx
