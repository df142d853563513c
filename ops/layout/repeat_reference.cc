#include "ops/layout/attrs.h"
#include "ops/movement.h"

namespace tally {

// y[.., d_axis, ..] = x[.., floor(d_axis / repeats), ..]
template <typename Int>
void ReferenceRepeat(const ReferenceContext<Int>& c) {
  const RepeatAttrs attrs = c.template attrs<RepeatAttrs>();
  const int64_t axis = attrs.axis < 0 ? attrs.axis + c.operands[0].shape().rank() : attrs.axis;
  Move(c, [&](Index d) {
    d[axis] /= attrs.repeats;
    return d;
  });
}

// y[.., k_0, k_1, ..] = x[k_0 mod n_0, k_1 mod n_1, ..], axes aligned at the right.
template <typename Int>
void ReferenceTile(const ReferenceContext<Int>& c) {
  const Shape &x = c.operands[0].shape(), &y = c.results[0].shape();
  Move(c, [&](const Index& k) {
    Index source = {};
    for (int axis = 0; axis < x.rank(); ++axis) source[axis] = k[y.rank() - x.rank() + axis] % x[axis];
    return source;
  });
}

TALLY_REFERENCE(Repeat);
TALLY_REFERENCE(Tile);

}  // namespace tally
