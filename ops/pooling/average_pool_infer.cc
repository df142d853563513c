#include "base/division.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/pooling/labels.h"
#include "ops/pooling/pool_bounds.h"
#include "ops/pooling/rules.h"

namespace tally {
namespace {

absl::Status CheckRescale(const AveragePoolAttrs& attrs) {
  if (attrs.lo > attrs.hi) {  // average_pool_c6
    return MakeError(label::average_pool_c6, absl::StrCat("lo = ", attrs.lo, " is above hi = ", attrs.hi));
  }
  if (attrs.rounding == Rounding::kDouble) {  // average_pool_c7
    return MakeError(label::average_pool_c7, "mode double rounds a shift twice, an average has a divisor");
  }
  return absl::OkStatus();
}

// RoundDiv computes with twice the product and twice the divisor; zero_out is added to no more than the
// product.
absl::Status CheckArithmetic(const AveragePoolAttrs& attrs, const WideInterval& sums) {
  const Int128 product = SatMul(sums.Magnitude(), attrs.multiplier);
  const Int128 divisor = SatMul(TapsOf(attrs.kernel), Int128{1} << attrs.shift);
  if (SatMul(2, SatAdd(product, divisor)) > RangeOf(Storage::kI64).hi) {  // average_pool_c8
    return MakeError(label::average_pool_c8,
                     absl::StrCat("products reach ", ToString(product), " and divisors ", ToString(divisor)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status InferAveragePool(const InferContext& c, Inferred* out) {
  constexpr PoolLabels kLabels = {label::average_pool_c1, label::average_pool_c2, label::average_pool_c3,
                                  label::average_pool_c4};
  const auto attrs = c.attrs<AveragePoolAttrs>();
  ASSIGN_OR_RETURN(const Windows windows, PoolWindows(attrs, c.shape(0), kLabels));
  ASSIGN_OR_RETURN(const Dims dims, CountsOfWindows(windows, c.shape(0), attrs.ceil_mode, kLabels.fits));
  if (!attrs.count_include_pad) {
    RETURN_IF_ERROR(CheckNoWindowIsEmpty(windows, c.shape(0), dims, kLabels.holds_an_element));
  }
  RETURN_IF_ERROR(CheckOperandLimit(c, 0, label::average_pool_c5));
  RETURN_IF_ERROR(CheckRescale(attrs));
  WideInterval v = WideInterval(c.interval(0)) - WideInterval(attrs.zero_in, attrs.zero_in);
  const WideInterval sums = WindowSums(windows, c.shape(0), v.Hull({0, 0}));
  RETURN_IF_ERROR(CheckArithmetic(attrs, sums));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  RETURN_IF_ERROR(out->SetAccumulator(c, sums));
  // An average of numbers in v is in v; counted padding draws it towards 0.
  if (attrs.count_include_pad && IsPadded(windows)) v = v.Hull({0, 0});
  const auto rounded = [&](Int128 average) {
    return RoundDiv<Int128>(attrs.rounding, average * attrs.multiplier, Int128{1} << attrs.shift) +
           attrs.zero_out;
  };
  return out->AddResult(c, shape, WideInterval(rounded(v.lo), rounded(v.hi)).Clamp(attrs.lo, attrs.hi));
}

WideGas GasAveragePool(const GasContext& c) {
  const Int128 taps = TapsOf(c.attrs<AveragePoolAttrs>().kernel);
  const WideGas averages = SatMul(c.elements_out(0), SatAdd(SatMul(24, taps), 120));
  return SatAdd(3584, SatAdd(GasOfWindows(c, taps), averages));
}

}  // namespace tally
