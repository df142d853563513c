#include "ops/indexing.h"
#include "ops/layout/attrs.h"
#include "ops/reference.h"

namespace tally {

// y[d] = x[d - before] where that is an index of x, else value.
template <typename Int>
void ReferencePad(const ReferenceContext<Int>& c) {
  const PadAttrs attrs = c.template attrs<PadAttrs>();
  const Operand<Int>& x = c.operands[0];
  const Result<Int>& y = c.results[0];
  for (int64_t i = 0; i < y.size(); ++i) {
    Index d = Unflatten(i, y.shape());
    bool inside = true;
    for (int axis = 0; axis < y.shape().rank(); ++axis) {
      d[axis] -= attrs.before[axis];
      inside = inside && 0 <= d[axis] && d[axis] < x.shape()[axis];
    }
    y.Set(i, inside ? x[Flatten(d, x.shape())] : Int(attrs.value));
  }
}

TALLY_REFERENCE(Pad);

}  // namespace tally
