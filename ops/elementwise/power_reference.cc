#include "base/rescale.h"
#include "ops/broadcast.h"
#include "ops/elementwise/attrs.h"
#include "ops/reference.h"

namespace tally {
namespace {

// a to the power b, by its definition; anything to the power 0 is 1.
template <typename Int>
Int Raise(const Int& a, const Int& b) {
  Int y(int64_t{1});
  for (int64_t i = static_cast<int64_t>(b); i > 0; --i) y = Int(y * a);
  return y;
}

}  // namespace

template <typename Int>
void ReferencePower(const ReferenceContext<Int>& c) {
  ForEachBroadcast(c, Raise<Int>);
}

TALLY_REFERENCE(Power);

template <typename Int>
void ReferenceShiftLeft(const ReferenceContext<Int>& c) {
  ForEachBroadcast(
      c, [](const Int& a, const Int& b) { return Int(a * Int(int64_t{1} << static_cast<int64_t>(b))); });
}

TALLY_REFERENCE(ShiftLeft);

// y = round(a / 2^b).
template <typename Int>
void ReferenceShiftRight(const ReferenceContext<Int>& c) {
  const Rounding rounding = c.template attrs<ShiftRightAttrs>().rounding;
  ForEachBroadcast(c, [&](const Int& a, const Int& b) {
    const int shift = static_cast<int>(static_cast<int64_t>(b));
    // The sign of a value matters to kDouble only, which the type rule refuses.
    return RoundShift<Int>(rounding, a, shift, false);
  });
}

TALLY_REFERENCE(ShiftRight);

}  // namespace tally
