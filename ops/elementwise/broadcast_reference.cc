#include "ops/broadcast.h"
#include "ops/reference.h"

namespace tally {

template <typename Int>
void ReferenceBroadcastAdd(const ReferenceContext<Int>& c) {
  ForEachBroadcast(c, [](const Int& a, const Int& b) { return Int(a + b); });
}

TALLY_REFERENCE(BroadcastAdd);

template <typename Int>
void ReferenceBroadcastSub(const ReferenceContext<Int>& c) {
  ForEachBroadcast(c, [](const Int& a, const Int& b) { return Int(a - b); });
}

TALLY_REFERENCE(BroadcastSub);

template <typename Int>
void ReferenceBroadcastMul(const ReferenceContext<Int>& c) {
  ForEachBroadcast(c, [](const Int& a, const Int& b) { return Int(a * b); });
}

TALLY_REFERENCE(BroadcastMul);

// Toward zero, as C divides; anything / 0 = 0.
template <typename Int>
void ReferenceBroadcastDiv(const ReferenceContext<Int>& c) {
  const Int zero(int64_t{0});
  ForEachBroadcast(c, [&](const Int& a, const Int& b) { return b == zero ? zero : Int(a / b); });
}

TALLY_REFERENCE(BroadcastDiv);

template <typename Int>
void ReferenceBroadcastMax(const ReferenceContext<Int>& c) {
  ForEachBroadcast(c, [](const Int& a, const Int& b) { return a < b ? b : a; });
}

TALLY_REFERENCE(BroadcastMax);

}  // namespace tally
