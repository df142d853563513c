#include <algorithm>
#include <bit>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/rescale.h"
#include "base/status_macros.h"
#include "base/wide.h"
#include "frontends/onnx/exact/fixed_point.h"
#include "frontends/onnx/exact/linear.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/model/labels.h"
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
  return MakeError(label::model_unsupported_type, "quantized to another type than int8 and uint8");
}

// A scale or zero point, one for all or one for each channel on `axis` of `x`, shaped to broadcast to it.
absl::StatusOr<Value> OnAxis(ExactNode& node, const ExactValue& parameter, const ExactValue& x,
                             int64_t axis) {
  const Shape& shape = node.c().shape(parameter.value);
  if (shape.num_elements() == 1 || shape.rank() != 1) return parameter.value;
  const int rank = node.c().shape(x.value).rank();
  if (axis < -rank || axis >= rank) return MakeError(label::model_malformed, "axis out of range");
  std::vector<int64_t> dims(static_cast<size_t>(rank), 1);
  dims[axis < 0 ? axis + rank : axis] = shape[0];
  return node.c().Apply(Opcode::kReshape, {parameter.value}, ReshapeAttrs{.shape = dims});
}

// mantissa * 2^-fraction_bits, with an odd mantissa: that of a float has 24 bits, however far apart a list of
// them is.
struct Scale {
  Int128 mantissa;
  int fraction_bits;
};

// Scales that are constants.
absl::StatusOr<std::vector<Scale>> ScalesOf(ExactNode& node, size_t input) {
  ASSIGN_OR_RETURN(const ExactValue scale, node.Input(input));
  const TensorView* constant = node.c().constant(scale.value);
  if (constant == nullptr || constant->shape.num_elements() > ExactNode::kMaxInts) {
    return MakeError(label::model_unsupported_operand, "a scale is not a constant");
  }
  std::vector<Scale> scales;
  for (int64_t i = 0; i < constant->shape.num_elements(); ++i) {
    if (constant->at(i) <= 0) return MakeError(label::model_malformed, "a scale is not positive");
    const int zeros = std::countr_zero(static_cast<uint64_t>(constant->at(i)));
    scales.push_back({constant->at(i) >> zeros, scale.fraction_bits - zeros});
  }
  return scales;
}

// numerator / denominator * 2^exponent, by which an accumulator becomes a quantized value.
struct Ratio {
  Int128 numerator;
  Int128 denominator;
  int exponent;

  // value * ratio, rounded to nearest, ties to even; no further from 0 than 2^62. With 38 bits of a value,
  // 48 of the numerator, 24 of the denominator and exponents of 40 and -96 no product leaves 126 bits.
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

constexpr int kLeastExponent = -96, kLargestExponent = 40;

// The ratios of scales a * b / y of inputs: one for all, or one for each slice along `axis`.
struct Ratios {
  std::vector<Ratio> list;
  int64_t axis = 0;
};

// Scales of a go along axis_a of the result, those of b along axis_b, where they are several.
absl::StatusOr<Ratios> RatiosOf(ExactNode& node, size_t a, size_t b, size_t y, int64_t axis_a,
                                int64_t axis_b) {
  ASSIGN_OR_RETURN(const std::vector<Scale> of_a, ScalesOf(node, a));
  ASSIGN_OR_RETURN(const std::vector<Scale> of_b, ScalesOf(node, b));
  ASSIGN_OR_RETURN(const std::vector<Scale> of_y, ScalesOf(node, y));
  if (of_y.size() != 1 || (of_a.size() > 1 && of_b.size() > 1)) {
    return MakeError(label::model_unsupported_operand, "its scales differ along two axes, or for the result");
  }
  Ratios ratios = {.list = {}, .axis = of_a.size() > 1 ? axis_a : axis_b};
  constexpr Int128 kMantissa = Int128{1} << 24;  // a float's
  for (size_t i = 0; i < std::max(of_a.size(), of_b.size()); ++i) {
    const Scale &sa = of_a[of_a.size() > 1 ? i : 0], &sb = of_b[of_b.size() > 1 ? i : 0], &sy = of_y[0];
    const Ratio ratio = {sa.mantissa * sb.mantissa, sy.mantissa,
                         sy.fraction_bits - sa.fraction_bits - sb.fraction_bits};
    const bool fits = sa.mantissa < kMantissa && sb.mantissa < kMantissa && sy.mantissa < kMantissa &&
                      ratio.exponent >= kLeastExponent && ratio.exponent <= kLargestExponent;
    if (!fits) return MakeError(label::model_inexact, "scales of too many bits");
    ratios.list.push_back(ratio);
  }
  return ratios;
}

// Whether a rescale gives the rounded real number for every value of `values`. Both are monotone, so they are
// equal where they step to each of their at most 256 levels at the same value.
bool RoundsAsAsked(const Ratio& ratio, const RescaleParams& params, Interval values) {
  const auto exact = [&](int64_t v) {
    return std::clamp(ratio.Times(v, 0) + params.zero_out, params.lo, params.hi);
  };
  const auto rescaled = [&](int64_t v) { return Rescale<int64_t>(v, params); };
  const int64_t last = exact(values.hi);
  int64_t from = values.lo;
  for (int64_t level = exact(from); level < last; level = exact(from)) {
    // The first value beyond the level.
    int64_t below = from, above = values.hi;
    while (above - below > 1) {
      const int64_t middle = below + (above - below) / 2;
      (exact(middle) > level ? above : below) = middle;
    }
    if (rescaled(from) != level || rescaled(below) != level) return false;
    from = above;
  }
  return rescaled(from) == last && rescaled(values.hi) == last;
}

// The rescale that gives the rounded real number for every value that the accumulator can take: proven, not
// merely close.
absl::StatusOr<RescaleParams> RescaleBy(const Ratio& ratio, Interval values, RescaleParams params) {
  while (params.shift < 46 && ratio.Times(1, params.shift + 1) < (int64_t{1} << 31)) ++params.shift;
  const int64_t multiplier = ratio.Times(1, params.shift);
  if (multiplier >= int64_t{1} << 31)
    return MakeError(label::model_inexact, "no 31-bit multiplier is so large");
  params.multiplier = static_cast<int32_t>(multiplier);
  if (RoundsAsAsked(ratio, params, values)) return params;
  return MakeError(label::model_inexact, "no 31-bit multiplier rounds as asked");
}

absl::StatusOr<ExactResults> Requantized(ExactNode& node, Value accumulator, const Ratios& ratios,
                                         size_t zero_point) {
  ASSIGN_OR_RETURN(const ExactValue zero, node.Input(zero_point));
  ASSIGN_OR_RETURN(const std::vector<int64_t> zeros, node.Ints(zero_point));
  ASSIGN_OR_RETURN(const Interval range, RangeOfQuantized(zero.data_type));
  if (zeros.size() != 1) {
    return MakeError(label::model_unsupported_operand, "the zero points of the result differ");
  }
  if (!range.Contains(zeros[0])) return MakeError(label::model_malformed, "a zero point outside its type");
  const Interval values = node.c().interval(accumulator);
  constexpr Interval kTimesRange = {-(int64_t{1} << 38), int64_t{1} << 38};
  if (!kTimesRange.Contains(values)) {
    return MakeError(label::model_inexact, "too many values to prove a multiplier for");
  }
  std::vector<int64_t> multipliers, shifts;
  for (const Ratio& ratio : ratios.list) {
    constexpr int64_t kUnitsOfProof = int64_t{1} << 13;  // levels, times the steps of a search
    RETURN_IF_ERROR(node.host().Spend(kUnitsOfProof));
    ASSIGN_OR_RETURN(const RescaleParams params, RescaleBy(ratio, values,
                                                           {.rounding = Rounding::kHalfEven,
                                                            .zero_out = static_cast<int32_t>(zeros[0]),
                                                            .lo = range.lo,
                                                            .hi = range.hi}));
    multipliers.push_back(params.multiplier);
    shifts.push_back(params.shift);
  }
  Composition& c = node.c();
  const int64_t channels = std::ssize(ratios.list);
  const RescaleAttrs attrs = {.axis = ratios.axis,
                              .zero_out = zeros[0],
                              .lo = range.lo,
                              .hi = range.hi,
                              .rounding = Rounding::kHalfEven};
  const std::vector<int64_t> addends(multipliers.size(), 0);
  ASSIGN_OR_RETURN(const Value y, c.Apply(Opcode::kRescale,
                                          {accumulator, c.Constant({channels}, multipliers),
                                           c.Constant({channels}, addends), c.Constant({channels}, shifts)},
                                          attrs));
  return ExactResults{ExactValue{y, 0, zero.data_type}};
}

}  // namespace

// saturate(x / scale rounded to nearest even + zero_point)
absl::StatusOr<ExactResults> ExactQuantizeLinear(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue scale, node.Input(1));
  ASSIGN_OR_RETURN(const int64_t axis, node.attributes().Int("axis", 1));
  ASSIGN_OR_RETURN(const int64_t asked, node.attributes().Int("output_dtype", 0));
  for (const char* of_floats : {"saturate", "precision"})
    node.attributes().Ignore(of_floats);  // the quotient is exact
  ASSIGN_OR_RETURN(const ExactValues aligned, node.Aligned({x, scale}));
  ASSIGN_OR_RETURN(const Value divisor, OnAxis(node, aligned[1], x, axis));
  RETURN_IF_ERROR(node.CheckDivisor(divisor));
  ASSIGN_OR_RETURN(Value y, node.c().Apply(Opcode::kDivide, {aligned[0].value, divisor},
                                           DivideAttrs{Rounding::kHalfEven}));
  int data_type = asked == 0 ? TensorProto::UINT8 : static_cast<int>(asked);
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(const ExactValue zero, node.Input(2));
    ASSIGN_OR_RETURN(const Value offset, OnAxis(node, zero, x, axis));
    ASSIGN_OR_RETURN(y, node.c().Apply(Opcode::kBroadcastAdd, {y, offset}));
    data_type = zero.data_type;
  }
  if (asked != 0 && asked != data_type) {
    return MakeError(label::model_malformed, "output_dtype is not the type of the zero point");
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
  ASSIGN_OR_RETURN(const int64_t asked, node.attributes().Int("output_dtype", 0));
  if (asked != 0 && !IsFloat(static_cast<int>(asked))) {
    return MakeError(label::model_malformed,
                     absl::StrCat("output_dtype is ", asked, "; known are the floats 1, 10, 11 and 16"));
  }
  Value y = x.value;
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(const ExactValue zero, node.Input(2));
    ASSIGN_OR_RETURN(const Value offset, OnAxis(node, zero, x, axis));
    ASSIGN_OR_RETURN(y, node.c().Apply(Opcode::kBroadcastSub, {y, offset}));
  }
  ASSIGN_OR_RETURN(const Value factor, OnAxis(node, scale, x, axis));
  ASSIGN_OR_RETURN(y, node.c().Apply(Opcode::kBroadcastMul, {y, factor}));
  const int data_type = asked == 0 ? scale.data_type : static_cast<int>(asked);
  return ExactResults{ExactValue{y, scale.fraction_bits, data_type}};
}

// Inputs: x, its scale and zero point, w, its scale and zero point, the result's scale and zero point, and a
// bias.
absl::StatusOr<ExactResults> ExactQLinearConv(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue sum, Convolve(node, {.b = 3, .zero_a = 2, .zero_b = 5, .bias = 8}));
  ASSIGN_OR_RETURN(const Ratios ratios, RatiosOf(node, 1, 4, 6, 0, 1));
  if (ratios.list.size() > 1 && ratios.axis == 0) {
    return MakeError(label::model_malformed, "the scale of x is not one number");
  }
  return Requantized(node, sum.value, ratios, 7);
}

// Inputs: a, its scale and zero point, b, its scale and zero point, the result's scale and zero point.
absl::StatusOr<ExactResults> ExactQLinearMatMul(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue sum, MultiplyIntegers(node, {.b = 3, .zero_a = 2, .zero_b = 5}));
  const int64_t rank = node.c().shape(sum.value).rank();
  ASSIGN_OR_RETURN(const Ratios ratios, RatiosOf(node, 1, 4, 6, rank - 2, rank - 1));
  return Requantized(node, sum.value, ratios, 7);
}

}  // namespace tally::onnx
