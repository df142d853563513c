#include "base/rescale.h"
#include "ops/reference.h"
#include "ops/rescale/attrs.h"

namespace tally {
namespace {

// clip(t) to [-alpha, alpha] with alpha = 2^(precision-1) - 1: the range is symmetric, -2^(precision-1) is no
// value.
template <typename Int>
Int Saturate(const Int& t, int64_t precision) {
  const Int alpha((int64_t{1} << (precision - 1)) - 1);
  const Int minus_alpha(Int(int64_t{0}) - alpha);
  return t < minus_alpha ? minus_alpha : t > alpha ? alpha : t;
}

}  // namespace

template <typename Int>
void ReferenceCvmClip(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<CvmClipAttrs>();
  for (int64_t i = 0; i < c.size(); ++i)
    c.results[0].Set(i, Saturate<Int>(c.operands[0][i], attrs.precision));
}

TALLY_REFERENCE(CvmClip);

// t = floor((x + 2^(shift_bit-1)) / 2^shift_bit), which equals the CVM document's two nested floors; ties go
// up.
template <typename Int>
void ReferenceCvmRightShift(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<CvmShiftAttrs>();
  for (int64_t i = 0; i < c.size(); ++i) {
    const Int x = c.operands[0][i];
    const Int t = RoundShift<Int>(Rounding::kHalfUp, x, static_cast<int>(attrs.shift_bit), false);
    c.results[0].Set(i, Saturate<Int>(t, attrs.precision));
  }
}

TALLY_REFERENCE(CvmRightShift);

// t = x * 2^shift_bit in Z, then saturated. Saturating x first changes nothing, because what exceeds alpha
// before the shift exceeds it after, and keeps the product below 2^63.
template <typename Int>
void ReferenceCvmLeftShift(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<CvmShiftAttrs>();
  const Int scale(int64_t{1} << attrs.shift_bit);
  for (int64_t i = 0; i < c.size(); ++i) {
    const Int x = Saturate<Int>(c.operands[0][i], attrs.precision);
    c.results[0].Set(i, Saturate<Int>(Int(x * scale), attrs.precision));
  }
}

TALLY_REFERENCE(CvmLeftShift);

}  // namespace tally
