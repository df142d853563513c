#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/rescale/attrs.h"
#include "ops/rescale/labels.h"
#include "ops/rescale/rounding_bounds.h"
#include "ops/rescale/rules.h"

namespace tally {

absl::Status InferMulshift(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<MulshiftAttrs>();
  for (int i = 0; i < 2; ++i) RETURN_IF_ERROR(CheckOperandLimit(c, i, label::mulshift_c1));
  ASSIGN_OR_RETURN(const Dims dims, BroadcastDims(c.shape(0).dims(), c.shape(1).dims(), label::mulshift_c2));
  if (attrs.lo > attrs.hi) {
    return MakeError(label::mulshift_c3, absl::StrCat("lo = ", attrs.lo, " is above hi = ", attrs.hi));
  }
  const int64_t m = attrs.multiplier;
  if (attrs.rounding == Rounding::kDouble && m < 0) {
    return MakeError(label::mulshift_c4, absl::StrCat("multiplier = ", m, " in mode double"));
  }
  const WideInterval v = (WideInterval(c.interval(0)) - WideInterval(attrs.zero_a, attrs.zero_a)) *
                         (WideInterval(c.interval(1)) - WideInterval(attrs.zero_b, attrs.zero_b));
  // The bound of v itself too, which a multiplier of 0 would hide.
  const Int128 magnitude = SatMul(v.Magnitude(), std::max<int64_t>(m < 0 ? -m : m, 1));
  if (!RoundingFits(magnitude, attrs.shift)) {
    return MakeError(label::mulshift_c5, absl::StrCat("the product reaches ", ToString(magnitude),
                                                      " before a shift by ", attrs.shift));
  }
  const WideInterval y = Rounded(attrs.rounding, v * WideInterval(m, m), attrs.shift, attrs.zero_out);
  if (!FitsInt64(y)) {
    return MakeError(label::mulshift_c6,
                     absl::StrCat("the rounded value reaches [", ToString(y.lo), ", ", ToString(y.hi), "]"));
  }
  return out->AddResult(c, dims, y.Clamp(attrs.lo, attrs.hi));
}

WideGas GasMulshift(const GasContext& c) { return SatAdd(192, GasPerResult<72>(c)); }

}  // namespace tally
