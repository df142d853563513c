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

template <typename Int>
void ReferenceBroadcastMax(const ReferenceContext<Int>& c) {
  ForEachBroadcast(c, [](const Int& a, const Int& b) { return a < b ? b : a; });
}

TALLY_REFERENCE(BroadcastMax);

template <typename Int>
void ReferenceBroadcastMin(const ReferenceContext<Int>& c) {
  ForEachBroadcast(c, [](const Int& a, const Int& b) { return b < a ? b : a; });
}

TALLY_REFERENCE(BroadcastMin);

}  // namespace tally
