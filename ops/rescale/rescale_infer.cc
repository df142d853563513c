#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "base/rescale.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/rescale/attrs.h"
#include "ops/rescale/labels.h"
#include "ops/rescale/rounding_bounds.h"
#include "ops/rescale/rules.h"

namespace tally {
namespace {

absl::Status CheckParameterOperands(const InferContext& c) {
  for (int i = 1; i <= 3; ++i) {
    if (!c.is_constant(i)) {
      return MakeError(label::rescale_c2, absl::StrCat("operand ", i, " is not a constant"));
    }
  }
  for (int i = 1; i <= 3; ++i) {
    if (c.shape(i).rank() != 1 || c.shape(i) != c.shape(1)) {
      return MakeError(label::rescale_c3,
                       absl::StrCat("m ", c.shape(1).ToString(), ", b ", c.shape(2).ToString(), ", s ",
                                    c.shape(3).ToString(), " are not three lists of one length"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckChannelCount(const InferContext& c, int64_t axis) {
  const int64_t channels = c.shape(1)[0];
  if (channels == 1) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int real_axis, NormalizeAxis(axis, c.shape(0).rank(), label::rescale_c4));
  if (c.shape(0)[real_axis] != channels) {
    return MakeError(label::rescale_c4,
                     absl::StrCat(channels, " channels for axis ", axis, " of ", c.shape(0).ToString()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status InferRescale(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<RescaleAttrs>();
  RETURN_IF_ERROR(CheckOperandLimit(c, 0, label::rescale_c1));
  RETURN_IF_ERROR(CheckParameterOperands(c));
  RETURN_IF_ERROR(CheckChannelCount(c, attrs.axis));
  if (attrs.lo > attrs.hi) {
    return MakeError(label::rescale_c5, absl::StrCat("lo = ", attrs.lo, " is above hi = ", attrs.hi));
  }
  if (c.of_program) return out->AddResult(c, c.shape(0), WideInterval(attrs.lo, attrs.hi));
  const WideInterval v = WideInterval(c.interval(0)) - WideInterval(attrs.zero_in, attrs.zero_in);
  WideInterval result;
  for (int64_t i = 0; i < c.shape(1)[0]; ++i) {
    const int64_t m = c.constant(1)->at(i), b = c.constant(2)->at(i), s = c.constant(3)->at(i);
    if (m < -RangeOf(Storage::kI32).hi || m > RangeOf(Storage::kI32).hi || s < 0 || s > kMaxRescaleShift) {
      return MakeError(label::rescale_c6, absl::StrCat("channel ", i, " has m = ", m, " and s = ", s));
    }
    if (attrs.rounding == Rounding::kDouble && (m < 0 || b != 0)) {
      return MakeError(label::rescale_c7,
                       absl::StrCat("channel ", i, " has m = ", m, " and b = ", b, " in mode double"));
    }
    const Int128 magnitude = SatAdd(SatMul(v.Magnitude(), m < 0 ? -m : m), WideInterval(b, b).Magnitude());
    if (!RoundingFits(magnitude, s)) {
      return MakeError(label::rescale_c8, absl::StrCat("channel ", i, ": the product reaches ",
                                                       ToString(magnitude), " before a shift by ", s));
    }
    const WideInterval y =
        Rounded(attrs.rounding, v * WideInterval(m, m) + WideInterval(b, b), s, attrs.zero_out);
    if (!FitsInt64(y)) {
      return MakeError(label::rescale_c9, absl::StrCat("channel ", i, ": the rounded value reaches [",
                                                       ToString(y.lo), ", ", ToString(y.hi), "]"));
    }
    result = i == 0 ? y : result.Hull(y);
  }
  return out->AddResult(c, c.shape(0), result.Clamp(attrs.lo, attrs.hi));
}

absl::Status InferLincomb(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<LincombAttrs>();
  const size_t count = c.operands.size();
  for (int i = 0; i < c.num_operands(); ++i) RETURN_IF_ERROR(CheckOperandLimit(c, i, label::lincomb_c1));
  for (int i = 1; i < c.num_operands(); ++i) {
    if (c.shape(i) != c.shape(0)) {
      return MakeError(label::lincomb_c2, absl::StrCat("operand ", i, " has shape ", c.shape(i).ToString(),
                                                       ", operand 0 ", c.shape(0).ToString()));
    }
  }
  if (attrs.multipliers.size() != count || attrs.zero_points.size() != count) {
    return MakeError(label::lincomb_c3,
                     absl::StrCat(attrs.multipliers.size(), " multipliers and ", attrs.zero_points.size(),
                                  " zero points for ", count, " operands"));
  }
  if (attrs.lo > attrs.hi) {
    return MakeError(label::lincomb_c4, absl::StrCat("lo = ", attrs.lo, " is above hi = ", attrs.hi));
  }
  if (attrs.rounding == Rounding::kDouble) {
    return MakeError(label::lincomb_c5, "mode double is defined by the sign of one value, a sum has several");
  }
  const WideInterval bias(attrs.bias, attrs.bias);
  WideInterval sum = bias;
  WideInterval partial_sums(std::min<Int128>(bias.lo, 0), std::max<Int128>(bias.hi, 0));
  Int128 magnitude = bias.Magnitude();
  for (int i = 0; i < c.num_operands(); ++i) {
    const int64_t z = attrs.zero_points[i], m = attrs.multipliers[i];
    const WideInterval term = (WideInterval(c.interval(i)) - WideInterval(z, z)) * WideInterval(m, m);
    sum = sum + term;
    partial_sums = partial_sums + WideInterval(std::min<Int128>(term.lo, 0), std::max<Int128>(term.hi, 0));
    magnitude = SatAdd(magnitude, term.Magnitude());
  }
  if (!RoundingFits(magnitude, attrs.shift)) {
    return MakeError(label::lincomb_c6, absl::StrCat("the terms reach ", ToString(magnitude),
                                                     " before a shift by ", attrs.shift));
  }
  const WideInterval y = Rounded(attrs.rounding, sum, attrs.shift, attrs.zero_out);
  if (!FitsInt64(y)) {
    return MakeError(label::lincomb_c7,
                     absl::StrCat("the rounded value reaches [", ToString(y.lo), ", ", ToString(y.hi), "]"));
  }
  RETURN_IF_ERROR(out->SetAccumulator(c, partial_sums));
  return out->AddResult(c, c.shape(0), y.Clamp(attrs.lo, attrs.hi));
}

WideGas GasRescale(const GasContext& c) {
  return SatAdd(SatMul(88, c.elements_out(0)), SatMul(56, c.elements_in(1)));
}

WideGas GasLincomb(const GasContext& c) {
  return SatAdd(1536, SatMul(12 * static_cast<int64_t>(c.operands.size()) + 56, c.elements_out(0)));
}

}  // namespace tally
