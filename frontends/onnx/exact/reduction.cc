#include <bit>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/exact/fixed_point.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/read_node.h"
#include "ops/elementwise/attrs.h"
#include "ops/gather/lowering/attrs.h"
#include "ops/reduction/attrs.h"
#include "ops/reduction/lowering/attrs.h"
#include "ops/sort/attrs.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

absl::StatusOr<ExactResults> Reduced(ExactNode& node, ReduceKind kind, int64_t since) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ReducedAxes axes, ReadReducedAxes(node, since));
  if (axes.is_identity) return ExactResults{x};
  if (kind == ReduceKind::kProduct && x.fraction_bits > 0)
    return MakeError(label::model_inexact, "a product of fractions");
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kReduce, {x.value},
                                                 ReduceAttrs{kind, axes.axes, axes.keep_dimensions}));
  return ExactResults{x.With(y)};
}

// The sum of magnitudes, of `scale` 1, or of squares, of `scale` 2; without axes of each element alone.
absl::StatusOr<ExactResults> LoweredReduction(ExactNode& node, std::string_view name, int scale) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ReducedAxes axes, ReadReducedAxes(node, 18));
  Value y;
  if (!axes.is_identity) {
    ASSIGN_OR_RETURN(y, node.Lower(name, {x.value}, ReduceAxesAttrs{axes.axes, axes.keep_dimensions}));
  } else if (scale == 1) {
    ASSIGN_OR_RETURN(y, node.c().Apply(Opcode::kAbs, {x.value}));
  } else {
    ASSIGN_OR_RETURN(y, node.c().Apply(Opcode::kBroadcastMul, {x.value, x.value}));
  }
  return ExactResults{ExactValue{y, scale * x.fraction_bits, x.data_type}};
}

absl::StatusOr<ExactResults> ArgOf(ExactNode& node, Extreme kind) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ArgExtremeForm read, ReadArgExtreme(node));
  const ArgExtremeAttrs attrs = {.kind = kind,
                                 .ties = read.takes_last ? Ties::kHighest : Ties::kLowest,
                                 .axis = read.axis,
                                 .keepdims = read.keep_dimension};
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kArgExtreme, {x.value}, attrs));
  return ExactResults{ExactValue{y, 0, ::onnx::TensorProto::INT64}};
}

}  // namespace

absl::StatusOr<ExactResults> ExactReduceSum(ExactNode& node) { return Reduced(node, ReduceKind::kSum, 13); }
absl::StatusOr<ExactResults> ExactReduceMax(ExactNode& node) { return Reduced(node, ReduceKind::kMax, 18); }
absl::StatusOr<ExactResults> ExactReduceMin(ExactNode& node) { return Reduced(node, ReduceKind::kMin, 18); }
absl::StatusOr<ExactResults> ExactReduceProd(ExactNode& node) {
  return Reduced(node, ReduceKind::kProduct, 18);
}
absl::StatusOr<ExactResults> ExactReduceL1(ExactNode& node) { return LoweredReduction(node, "reduce_l1", 1); }
absl::StatusOr<ExactResults> ExactReduceSumSquare(ExactNode& node) {
  return LoweredReduction(node, "reduce_sum_square", 2);
}

// A mean of integers is their sum divided towards zero. Of reals, a sum over a power of two of elements is a
// mean in more fraction bits; any other mean is rounded.
absl::StatusOr<ExactResults> ExactReduceMean(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactResults sum, Reduced(node, ReduceKind::kSum, 18));
  const int64_t count = node.c().shape(x.value).num_elements() / node.c().shape(sum[0]->value).num_elements();
  if (!IsFloat(x.data_type)) {
    ASSIGN_OR_RETURN(const Value mean,
                     node.c().Apply(Opcode::kDivide, {sum[0]->value, node.c().Constant({}, {count})},
                                    DivideAttrs{Rounding::kTrunc}));
    return ExactResults{x.With(mean)};
  }
  if (!std::has_single_bit(static_cast<uint64_t>(count)))
    return MakeError(label::model_inexact, "a mean is rounded");
  const int bits = std::countr_zero(static_cast<uint64_t>(count));
  return ExactResults{ExactValue{sum[0]->value, sum[0]->fraction_bits + bits, x.data_type}};
}

absl::StatusOr<ExactResults> ExactArgMax(ExactNode& node) { return ArgOf(node, Extreme::kMax); }
absl::StatusOr<ExactResults> ExactArgMin(ExactNode& node) { return ArgOf(node, Extreme::kMin); }

absl::StatusOr<ExactResults> ExactCumSum(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const std::vector<int64_t> axis, node.Ints(1));
  CumulativeSumAttrs attrs = {.axis = axis.at(0)};
  ASSIGN_OR_RETURN(attrs.exclusive, node.attributes().Bool("exclusive", false));
  ASSIGN_OR_RETURN(attrs.reverse, node.attributes().Bool("reverse", false));
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kCumulativeSum, {x.value}, attrs));
  return ExactResults{x.With(y)};
}

// 1 at the first maximum along the axis, else 0.
absl::StatusOr<ExactResults> ExactHardmax(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const int64_t axis, node.attributes().Int("axis", -1));
  ASSIGN_OR_RETURN(const Value best,
                   node.c().Apply(Opcode::kArgExtreme, {x.value}, ArgExtremeAttrs{.axis = axis}));
  const Shape& shape = node.c().shape(x.value);
  const int64_t depth = shape[static_cast<int>(axis < 0 ? axis + shape.rank() : axis)];
  const Value on = node.c().Constant({}, {1}), off = node.c().Constant({}, {0});
  ASSIGN_OR_RETURN(const Value y,
                   node.Lower("one_hot", {best, on, off}, OneHotAttrs{.depth = depth, .axis = axis}));
  return ExactResults{ExactValue{y, 0, x.data_type}};
}

absl::StatusOr<ExactResults> ExactTopK(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const std::vector<int64_t> k, node.Ints(1));
  TopKAttrs attrs = {.k = k.at(0)};
  ASSIGN_OR_RETURN(attrs.axis, node.attributes().Int("axis", -1));
  ASSIGN_OR_RETURN(attrs.largest, node.attributes().Bool("largest", true));
  ASSIGN_OR_RETURN(const bool sorted, node.attributes().Bool("sorted", true));
  attrs.order = sorted ? TopKOrder::kValue : TopKOrder::kIndex;
  ASSIGN_OR_RETURN(const std::vector<Value> y, node.c().Emit(Opcode::kTopK, {x.value}, Pack(attrs)));
  return ExactResults{x.With(y[0]), ExactValue{y[1], 0, ::onnx::TensorProto::INT64}};
}

}  // namespace tally::onnx
