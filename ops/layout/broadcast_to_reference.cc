#include "ops/layout/attrs.h"
#include "ops/movement.h"

namespace tally {

// y[d] = x[d], axes aligned at the right, with 0 where x has one element.
template <typename Int>
void ReferenceBroadcastTo(const ReferenceContext<Int>& c) {
  const Shape &x = c.operands[0].shape(), &y = c.results[0].shape();
  Move(c, [&](const Index& d) {
    Index source = {};
    for (int axis = 0; axis < x.rank(); ++axis) {
      source[axis] = x[axis] == 1 ? 0 : d[y.rank() - x.rank() + axis];
    }
    return source;
  });
}

TALLY_REFERENCE(BroadcastTo);

}  // namespace tally
