#include <algorithm>
#include <optional>

#include "base/division.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "ops/elementwise/attrs.h"
#include "ops/elementwise/corner_bounds.h"
#include "ops/elementwise/labels.h"
#include "ops/elementwise/rules.h"
#include "ops/infer.h"

namespace tally {
namespace {

// Rounded a / b for b of one sign. The quotient is monotone in a for each b, and in b on either side of a =
// 0, and rounding is monotone.
WideInterval Quotients(Rounding rounding, const Interval& a, const Interval& b) {
  return HullOfCorners(a, b, [&](Int128 p, Int128 q) { return RoundDiv<Int128>(rounding, p, q); });
}

// The result of `part` for the b below 0 and for those above, and 0 for b = 0, which stands for division by
// zero.
template <typename Part>
WideInterval JoinSigns(const Interval& b, Part part) {
  std::optional<WideInterval> y;
  const auto join = [&](const WideInterval& bounds) { y = y ? y->Hull(bounds) : bounds; };
  if (b.lo < 0) join(part(Interval{b.lo, std::min<int64_t>(b.hi, -1)}));
  if (b.hi > 0) join(part(Interval{std::max<int64_t>(b.lo, 1), b.hi}));
  if (b.Contains(0)) join({0, 0});
  return *y;
}

WideInterval DivisionBounds(Rounding rounding, const Interval& a, const Interval& b) {
  return JoinSigns(b, [&](const Interval& part) { return Quotients(rounding, a, part); });
}

// Remainders for b of one sign. When all pairs have one quotient q, they are a - q * b. Else a remainder is
// smaller than b; it has the sign of a and is no larger than a, or it has the sign of b.
WideInterval Remainders(Rounding rounding, const Interval& a, const Interval& b) {
  const WideInterval q = Quotients(rounding, a, b);
  if (q.lo == q.hi) return WideInterval(a) - q * b;
  const Int128 largest = WideInterval(b).Magnitude() - 1;
  const bool signs_agree = b.lo > 0 ? a.lo >= 0 : a.hi <= 0;
  if (rounding == Rounding::kTrunc || signs_agree)
    return WideInterval(a).Hull({0, 0}).Clamp(-largest, largest);
  return b.lo > 0 ? WideInterval(0, largest) : WideInterval(-largest, 0);
}

}  // namespace

absl::Status InferBroadcastDiv(const InferContext& c, Inferred* out) {
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(c.shape(0), c.shape(1), label::broadcast_div_c1));
  return out->AddResult(c, shape, DivisionBounds(Rounding::kTrunc, c.interval(0), c.interval(1)));
}

absl::Status InferDivide(const InferContext& c, Inferred* out) {
  const Rounding rounding = c.attrs<DivideAttrs>().rounding;
  ASSIGN_OR_RETURN(const Dims dims, BroadcastDims(c.shape(0).dims(), c.shape(1).dims(), label::divide_c1));
  if (rounding == Rounding::kDouble) {
    return MakeError(label::divide_c2, "mode double is defined for powers of two only");
  }
  for (int i = 0; i < 2 && rounding != Rounding::kTrunc; ++i) {
    RETURN_IF_ERROR(CheckOperandLimit(c, i, label::divide_c3));
  }
  return out->AddResult(c, dims, DivisionBounds(rounding, c.interval(0), c.interval(1)));
}

absl::Status InferModulo(const InferContext& c, Inferred* out) {
  const Rounding rounding = c.attrs<ModuloAttrs>().quotient();
  ASSIGN_OR_RETURN(const Dims dims, BroadcastDims(c.shape(0).dims(), c.shape(1).dims(), label::modulo_c1));
  for (int i = 0; i < 2; ++i) RETURN_IF_ERROR(CheckOperandLimit(c, i, label::modulo_c2));
  const Interval& a = c.interval(0);
  return out->AddResult(
      c, dims, JoinSigns(c.interval(1), [&](const Interval& part) { return Remainders(rounding, a, part); }));
}

}  // namespace tally
