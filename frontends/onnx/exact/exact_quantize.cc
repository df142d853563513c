#include <algorithm>

#include "base/error.h"
#include "base/rescale.h"
#include "base/status_macros.h"
#include "base/wide.h"
#include "frontends/onnx/exact/exact_linear.h"
#include "frontends/onnx/exact/fixed_point.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/labels.h"
#include "ops/elementwise/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/rescale/attrs.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;

absl::StatusOr<Interval> RangeOfQuantized(int data_type) {
  if (data_type == TensorProto::UINT8) return Interval{0, 255};
  if (data_type == TensorProto::INT8) return Interval{-128, 127};
  return MakeError(label::onnx_unsupported_type, "quantized to another type than int8 and uint8");
}

// A scale or zero point, one for all or one for each channel on `axis` of `x`, shaped to broadcast to it.
absl::StatusOr<Value> OnAxis(ExactNode& node, const ExactValue& parameter, const ExactValue& x,
                             int64_t axis) {
  const Shape& shape = node.c().shape(parameter.value);
  if (shape.num_elements() == 1 || shape.rank() != 1) return parameter.value;
  const int rank = node.c().shape(x.value).rank();
  if (axis < -rank || axis >= rank) return MakeError(label::onnx_malformed, "axis out of range");
  std::vector<int64_t> dims(static_cast<size_t>(rank), 1);
  dims[axis < 0 ? axis + rank : axis] = shape[0];
  return node.c().Apply(Opcode::kReshape, {parameter.value}, ReshapeAttrs{.shape = dims});
}

// A scale that is a constant: mantissa * 2^-fraction_bits.
absl::StatusOr<Int128> ScaleOf(ExactNode& node, size_t input, int* fraction_bits) {
  ASSIGN_OR_RETURN(const ExactValue scale, node.Input(input));
  const TensorView* constant = node.c().constant(scale.value);
  if (constant == nullptr || constant->shape.num_elements() != 1 || constant->at(0) <= 0) {
    return MakeError(label::onnx_unsupported_operand, "a scale is not one positive constant");
  }
  *fraction_bits = scale.fraction_bits;
  return constant->at(0);
}

// numerator / denominator * 2^exponent, by which an accumulator becomes a quantized value.
struct Ratio {
  Int128 numerator;
  Int128 denominator;
  int exponent;

  // value * ratio, rounded to nearest, ties to even; no further from 0 than 2^62. With 38 bits of a value, 48 of the
  // numerator and an exponent of 40 no product leaves 126 bits.
  int64_t Times(int64_t value, int extra_exponent) const {
    const int e = exponent + extra_exponent;
    const Int128 n = value * numerator * (Int128{1} << std::max(e, 0));
    const Int128 d = denominator * (Int128{1} << std::max(-e, 0));
    Int128 floor = n / d;
    if (n % d < 0) --floor;
    const Int128 twice = 2 * (n - floor * d);
    if (twice > d || (twice == d && floor % 2 != 0)) ++floor;
    constexpr Int128 kFar = Int128{1} << 62;
    return static_cast<int64_t>(std::clamp(floor, -kFar, kFar));
  }
};

// The ratio of scales a * b / y of inputs.
absl::StatusOr<Ratio> RatioOf(ExactNode& node, size_t a, size_t b, size_t y) {
  int fa = 0, fb = 0, fy = 0;
  ASSIGN_OR_RETURN(const Int128 ma, ScaleOf(node, a, &fa));
  ASSIGN_OR_RETURN(const Int128 mb, ScaleOf(node, b, &fb));
  ASSIGN_OR_RETURN(const Int128 my, ScaleOf(node, y, &fy));
  constexpr Int128 kMantissa = Int128{1} << 24;  // of a float
  const Ratio ratio = {ma * mb, my, fy - fa - fb};
  if (ma >= kMantissa || mb >= kMantissa || my >= kMantissa || std::abs(ratio.exponent) > 40) {
    return MakeError(label::onnx_inexact, "scales of too many bits");
  }
  return ratio;
}

// Requantizes by a 31-bit multiplier, where that gives the rounded real number for every value that the accumulator can
// take: they are all tried, so the result is proven and not merely close.
absl::StatusOr<ExactResults> Requantized(ExactNode& node, Value accumulator, const Ratio& ratio,
                                         size_t zero_point) {
  constexpr int64_t kMaxTried = int64_t{1} << 22;
  ASSIGN_OR_RETURN(const ExactValue zero, node.Input(zero_point));
  ASSIGN_OR_RETURN(const std::vector<int64_t> zeros, node.Ints(zero_point));
  ASSIGN_OR_RETURN(const Interval range, RangeOfQuantized(zero.data_type));
  if (!range.Contains(zeros[0])) return MakeError(label::onnx_malformed, "a zero point outside its type");
  RescaleParams params = {.rounding = Rounding::kHalfEven,
                          .zero_out = static_cast<int32_t>(zeros[0]),
                          .lo = range.lo,
                          .hi = range.hi};
  while (params.shift < 46 && ratio.Times(1, params.shift + 1) < (int64_t{1} << 31)) ++params.shift;
  const int64_t multiplier = ratio.Times(1, params.shift);
  if (multiplier >= int64_t{1} << 31)
    return MakeError(label::onnx_inexact, "no 31-bit multiplier is so large");
  params.multiplier = static_cast<int32_t>(multiplier);
  const Interval values = node.c().interval(accumulator);
  constexpr Interval kTimesRange = {-(int64_t{1} << 38), int64_t{1} << 38};
  if (!kTimesRange.Contains(values) || values.hi - values.lo > kMaxTried)
    return MakeError(label::onnx_inexact, "too many values to prove a multiplier for");
  RETURN_IF_ERROR(node.host().Spend(values.hi - values.lo));
  for (int64_t v = values.lo; v <= values.hi; ++v) {
    const int64_t exact = std::min(std::max(ratio.Times(v, 0) + zeros[0], range.lo), range.hi);
    if (Rescale<int64_t>(v, params) != exact)
      return MakeError(label::onnx_inexact, "no 31-bit multiplier rounds as asked");
  }
  Composition& c = node.c();
  const RescaleAttrs attrs = {
      .zero_out = params.zero_out, .lo = params.lo, .hi = params.hi, .rounding = params.rounding};
  ASSIGN_OR_RETURN(const Value y, c.Apply(Opcode::kRescale,
                                          {accumulator, c.Constant({1}, {params.multiplier}),
                                           c.Constant({1}, {0}), c.Constant({1}, {params.shift})},
                                          attrs));
  return ExactResults{ExactValue{y, 0, zero.data_type}};
}

}  // namespace

// saturate(x / scale rounded to nearest even + zero_point)
absl::StatusOr<ExactResults> ExactQuantizeLinear(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue scale, node.Input(1));
  ASSIGN_OR_RETURN(const int64_t axis, node.attributes().Int("axis", 1));
  ASSIGN_OR_RETURN(const ExactValues aligned, node.Aligned({x, scale}));
  ASSIGN_OR_RETURN(const Value divisor, OnAxis(node, aligned[1], x, axis));
  ASSIGN_OR_RETURN(Value y, node.c().Apply(Opcode::kDivide, {aligned[0].value, divisor},
                                           DivideAttrs{Rounding::kHalfEven}));
  int data_type = TensorProto::UINT8;
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(const ExactValue zero, node.Input(2));
    ASSIGN_OR_RETURN(const Value offset, OnAxis(node, zero, x, axis));
    ASSIGN_OR_RETURN(y, node.c().Apply(Opcode::kBroadcastAdd, {y, offset}));
    data_type = zero.data_type;
  }
  ASSIGN_OR_RETURN(const Interval range, RangeOfQuantized(data_type));
  ASSIGN_OR_RETURN(y, node.c().Apply(Opcode::kClip, {y}, ClipAttrs{range.lo, range.hi}));
  return ExactResults{ExactValue{y, 0, data_type}};
}

// (x - zero_point) * scale
absl::StatusOr<ExactResults> ExactDequantizeLinear(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue scale, node.Input(1));
  ASSIGN_OR_RETURN(const int64_t axis, node.attributes().Int("axis", 1));
  Value y = x.value;
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(const ExactValue zero, node.Input(2));
    ASSIGN_OR_RETURN(const Value offset, OnAxis(node, zero, x, axis));
    ASSIGN_OR_RETURN(y, node.c().Apply(Opcode::kBroadcastSub, {y, offset}));
  }
  ASSIGN_OR_RETURN(const Value factor, OnAxis(node, scale, x, axis));
  ASSIGN_OR_RETURN(y, node.c().Apply(Opcode::kBroadcastMul, {y, factor}));
  return ExactResults{ExactValue{y, scale.fraction_bits, scale.data_type}};
}

// Inputs: x, its scale and zero point, w, its scale and zero point, the result's scale and zero point, and a bias.
absl::StatusOr<ExactResults> ExactQLinearConv(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue sum, Convolve(node, {.b = 3, .zero_a = 2, .zero_b = 5, .bias = 8}));
  ASSIGN_OR_RETURN(const Ratio ratio, RatioOf(node, 1, 4, 6));
  return Requantized(node, sum.value, ratio, 7);
}

// Inputs: a, its scale and zero point, b, its scale and zero point, the result's scale and zero point.
absl::StatusOr<ExactResults> ExactQLinearMatMul(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue sum, MultiplyIntegers(node, {.b = 3, .zero_a = 2, .zero_b = 5}));
  ASSIGN_OR_RETURN(const Ratio ratio, RatioOf(node, 1, 4, 6));
  return Requantized(node, sum.value, ratio, 7);
}

}  // namespace tally::onnx
