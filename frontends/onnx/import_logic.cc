// Comparisons, logic and choices, on integers and flags as on floats. ONNX's booleans are integers of 0 and
// 1.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/axis.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {
namespace {

using quant::Int64Tensor;
using Kind = quant::IntegerArithmetic::Kind;

// A number of the element type of `x`.
absl::StatusOr<Operand> Zero(NodeContext& node, const Operand& x) {
  if (x.type.element == quant::ElementType::kInt64) return node.NewConstant(Int64Tensor{{}, {0}}, "zero");
  return node.NewConstant(quant::FloatTensor{{}, {0}}, "zero");
}

}  // namespace

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
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand zero, Zero(node, x));
  return node.Finish(quant::Compare{Comparison::kEqual}, {x, zero});
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
  if (wanted->data.size() != 1) return MakeError(label::onnx_shape, "the axis of CumSum is not one number");
  quant::CumulativeSum sum;
  ASSIGN_OR_RETURN(sum.axis, NormalizeAxis(wanted->data[0], x.shape().size()));
  ASSIGN_OR_RETURN(sum.exclusive, node.attributes().Bool("exclusive", false));
  ASSIGN_OR_RETURN(sum.reverse, node.attributes().Bool("reverse", false));
  return node.Finish(sum, {x});
}

// One of `depth` positions along a new axis is on: the one that an index names, which counts from the end
// where it is negative.
absl::Status ImportOneHot(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand indices, node.Input(0));
  ASSIGN_OR_RETURN(const double wanted_depth, node.NumberConstant(1));
  ASSIGN_OR_RETURN(const Operand off_and_on, node.Input(2));
  if (!off_and_on.is_constant()) {
    return MakeError(label::onnx_unsupported_operand, "the values of OneHot are computed at run time");
  }
  const auto depth =
      static_cast<int64_t>(std::clamp<double>(wanted_depth, 0, static_cast<double>(quant::kMaxAttribute)));
  if (depth < 1 || off_and_on.shape() != quant::Shape{2}) {
    return MakeError(label::onnx_shape, "OneHot takes one depth of at least 1 and two values");
  }
  quant::Shape shape = indices.shape();
  ASSIGN_OR_RETURN(int64_t axis, node.attributes().Int("axis", -1));
  ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, shape.size() + 1));
  quant::Shape along(shape.size() + 1, 1);
  along[static_cast<size_t>(axis)] = depth;
  shape.insert(shape.begin() + axis, 1);
  ASSIGN_OR_RETURN(const Operand lines, node.Emit(quant::Reshape{shape}, {indices}, "lines"));
  const auto is_at = [&](const Operand& places, const char* step) {
    return node.Emit(quant::Compare{Comparison::kEqual}, {lines, places}, step);
  };
  // 0, 1, .. as a sum, so that a depth which is too large is refused before there is such a list.
  ASSIGN_OR_RETURN(const Operand one, node.NewConstant(Int64Tensor{{}, {1}}, "one"));
  ASSIGN_OR_RETURN(const Operand ones, node.Emit(quant::Expand{along}, {one}, "ones"));
  ASSIGN_OR_RETURN(const Operand places,
                   node.Emit(quant::CumulativeSum{.axis = axis, .exclusive = true}, {ones}, "places"));
  ASSIGN_OR_RETURN(Operand is_on, is_at(places, "front"));
  if (node.opset() >= 11) {
    ASSIGN_OR_RETURN(const Operand size, node.NewConstant(Int64Tensor{{}, {depth}}, "depth"));
    ASSIGN_OR_RETURN(const Operand from_back,
                     node.Emit(quant::IntegerArithmetic{Kind::kSub}, {places, size}, "places_from_back"));
    ASSIGN_OR_RETURN(const Operand is_back, is_at(from_back, "back"));
    ASSIGN_OR_RETURN(is_on, node.Emit(quant::IntegerArithmetic{Kind::kMax}, {is_on, is_back}, "on"));
  }
  return node.Finish(quant::Lookup{*off_and_on.constant}, {is_on});
}

// A choice between x and 0 by where an element is.
absl::Status ImportTrilu(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const bool upper, node.attributes().Bool("upper", true));
  int64_t k = 0;
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(const Int64Tensor* diagonal, node.IntConstant(1));
    if (diagonal->data.size() != 1) return MakeError(label::onnx_shape, "k of Trilu is not one number");
    k = diagonal->data[0];
  }
  const size_t rank = x.shape().size();
  if (rank < 2) return MakeError(label::onnx_shape, "x of Trilu has no rows and columns");
  Int64Tensor kept{{x.shape()[rank - 2], x.shape()[rank - 1]}, {}};
  for (int64_t row = 0; row < kept.shape[0]; ++row) {
    // Beyond the corners all k mean the same, and none overflows.
    const int64_t diagonal = std::clamp(k, -kept.shape[0], kept.shape[1]) + row;
    for (int64_t column = 0; column < kept.shape[1]; ++column) {
      kept.data.push_back(upper ? column >= diagonal : column <= diagonal);
    }
  }
  ASSIGN_OR_RETURN(const Operand flags, node.NewConstant(std::move(kept), "kept"));
  ASSIGN_OR_RETURN(const Operand zero, Zero(node, x));
  return node.Finish(quant::Where{}, {flags, x, zero});
}

}  // namespace tally::onnx
