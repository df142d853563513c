#include <algorithm>

#include "base/error.h"
#include "base/rescale.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/elementwise/attrs.h"
#include "ops/elementwise/corner_bounds.h"
#include "ops/elementwise/labels.h"
#include "ops/elementwise/rules.h"
#include "ops/infer.h"

namespace tally {
namespace {

// a to the power b, saturated, which keeps its sign.
Int128 Raise(Int128 a, Int128 b) {
  Int128 y = 1;
  for (; b > 0; --b) y = SatMul(y, a);
  return y;
}

// Refuses a second operand that may leave [0, most].
absl::Status CheckSecond(const InferContext& c, int64_t most, Label label) {
  if (Interval{0, most}.Contains(c.interval(1))) return absl::OkStatus();
  return MakeError(label, absl::StrCat("b in ", c.interval(1).ToString(), " may leave [0, ", most, "]"));
}

}  // namespace

// For each b, the extremes over a lie at its ends and at 0. For each of these a, powers grow in b among the
// even b and among the odd b, and both kinds occur within two of either end.
absl::Status InferPower(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Dims dims, BroadcastDims(c.shape(0).dims(), c.shape(1).dims(), label::power_c1));
  RETURN_IF_ERROR(CheckSecond(c, kMaxPower, label::power_c2));
  const Interval &a = c.interval(0), &b = c.interval(1);
  const int64_t near_zero = std::clamp<int64_t>(0, a.lo, a.hi);
  return out->AddResult(c, dims,
                        HullOver({a.lo, near_zero, a.hi},
                                 {b.lo, std::min(b.lo + 1, b.hi), std::max(b.hi - 1, b.lo), b.hi}, Raise));
}

absl::Status InferShiftLeft(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Dims dims,
                   BroadcastDims(c.shape(0).dims(), c.shape(1).dims(), label::shift_left_c1));
  RETURN_IF_ERROR(CheckSecond(c, kMaxTensorShift, label::shift_left_c2));
  return out->AddResult(c, dims, HullOfCorners(c.interval(0), c.interval(1), [](Int128 a, Int128 b) {
                          return SatMul(a, Int128{1} << static_cast<int>(b));
                        }));
}

// a / 2^b is monotone in a for each b, and in b for each a; rounding is monotone.
absl::Status InferShiftRight(const InferContext& c, Inferred* out) {
  const Rounding rounding = c.attrs<ShiftRightAttrs>().rounding;
  ASSIGN_OR_RETURN(const Dims dims,
                   BroadcastDims(c.shape(0).dims(), c.shape(1).dims(), label::shift_right_c1));
  if (rounding == Rounding::kDouble) {
    return MakeError(label::shift_right_c2,
                     "mode double is defined by the sign of a value that was multiplied");
  }
  RETURN_IF_ERROR(CheckSecond(c, kMaxTensorShift, label::shift_right_c3));
  RETURN_IF_ERROR(CheckOperandLimit(c, 0, label::shift_right_c4));
  return out->AddResult(
      c, dims, HullOfCorners(c.interval(0), c.interval(1), [&](Int128 a, Int128 b) {
        return Int128{RoundShift<int64_t>(rounding, static_cast<int64_t>(a), static_cast<int>(b), false)};
      }));
}

WideGas GasPower(const GasContext& c) {
  return SatMul(SatAdd(SatMul(4, std::max<int64_t>(c.operands[1].interval.hi, 1)), 22), c.elements_out(0));
}

}  // namespace tally
