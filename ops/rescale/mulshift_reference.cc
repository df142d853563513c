#include "base/rescale.h"
#include "ops/broadcast.h"
#include "ops/reference.h"
#include "ops/rescale/attrs.h"

namespace tally {

// v = (a - zero_a) * (b - zero_b); y = clamp(round(v * multiplier / 2^shift) + zero_out, lo, hi). One
// rounding.
template <typename Int>
void ReferenceMulshift(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<MulshiftAttrs>();
  const Int zero_a(attrs.zero_a), zero_b(attrs.zero_b), lo(attrs.lo), hi(attrs.hi);
  ForEachBroadcast(c, [&](const Int& a, const Int& b) {
    const Int v(Int(a - zero_a) * Int(b - zero_b));
    const Int product(v * Int(attrs.multiplier));
    const Int rounded =
        RoundShift<Int>(attrs.rounding, product, static_cast<int>(attrs.shift), v < Int(int64_t{0}));
    const Int y(rounded + Int(attrs.zero_out));
    return y < lo ? lo : y > hi ? hi : y;
  });
}

TALLY_REFERENCE(Mulshift);

}  // namespace tally
