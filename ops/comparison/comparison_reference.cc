#include "ops/broadcast.h"
#include "ops/reference.h"

namespace tally {

template <typename Int>
void ReferenceBroadcastGreater(const ReferenceContext<Int>& c) {
  ForEachBroadcast(c, [](const Int& a, const Int& b) { return Int(int64_t{a > b ? 1 : 0}); });
}

TALLY_REFERENCE(BroadcastGreater);

// r[d] = x[d] where cond[d], or cond[d_0] for a list, is not 0; else y[d].
template <typename Int>
void ReferenceWhere(const ReferenceContext<Int>& c) {
  const Operand<Int>&cond = c.operands[0], &x = c.operands[1], &y = c.operands[2];
  // Elements that one element of the condition decides: 1, or those of a row.
  const int64_t span = x.size() / cond.size();
  const Int zero(int64_t{0});
  for (int64_t i = 0; i < c.size(); ++i) c.results[0].Set(i, cond[i / span] != zero ? x[i] : y[i]);
}

TALLY_REFERENCE(Where);

}  // namespace tally
