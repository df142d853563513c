#include "ops/layout/attrs.h"
#include "ops/movement.h"

namespace tally {

// y[d] = x[d], axes aligned at the right, with 0 where x has one element.
template <typename Int>
void ReferenceBroadcastTo(const ReferenceContext<Int>& c) {
  MoveView(c, BroadcastView(c.operands[0].shape(), c.results[0].shape()));
}

TALLY_REFERENCE(BroadcastTo);

}  // namespace tally
