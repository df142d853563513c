#include "base/division.h"
#include "ops/broadcast.h"
#include "ops/elementwise/attrs.h"
#include "ops/reference.h"

namespace tally {

// Toward zero, as C divides; anything / 0 = 0.
template <typename Int>
void ReferenceBroadcastDiv(const ReferenceContext<Int>& c) {
  const Int zero(int64_t{0});
  ForEachBroadcast(c, [&](const Int& a, const Int& b) { return b == zero ? zero : Int(a / b); });
}

TALLY_REFERENCE(BroadcastDiv);

// y = round(a / b); anything / 0 = 0.
template <typename Int>
void ReferenceDivide(const ReferenceContext<Int>& c) {
  const Rounding rounding = c.template attrs<DivideAttrs>().rounding;
  const Int zero(int64_t{0});
  ForEachBroadcast(
      c, [&](const Int& a, const Int& b) { return b == zero ? zero : RoundDiv<Int>(rounding, a, b); });
}

TALLY_REFERENCE(Divide);

// y = a - b * round(a / b); a modulo 0 = 0.
template <typename Int>
void ReferenceModulo(const ReferenceContext<Int>& c) {
  const Rounding quotient = c.template attrs<ModuloAttrs>().quotient();
  const Int zero(int64_t{0});
  ForEachBroadcast(c, [&](const Int& a, const Int& b) {
    return b == zero ? zero : Int(a - Int(b * RoundDiv<Int>(quotient, a, b)));
  });
}

TALLY_REFERENCE(Modulo);

}  // namespace tally
