#include "ops/indexing.h"
#include "ops/layout/attrs.h"
#include "ops/reference.h"

namespace tally {

// y[.., start_k + d_axis, ..] = x_k[.., d_axis, ..], where start_k is the sum of the earlier operands' dims.
template <typename Int>
void ReferenceConcatenate(const ReferenceContext<Int>& c) {
  const Result<Int>& y = c.results[0];
  int64_t axis = c.template attrs<ConcatenateAttrs>().axis;
  if (axis < 0) axis += y.shape().rank();
  int64_t start = 0;
  for (const Operand<Int>& x : c.operands) {
    ForEachIndex(x.shape(), [&](int64_t i, Index d) {
      d[axis] += start;
      const int64_t at = Flatten(d, y.shape());
      if (c.Wants(0, at)) y.Set(at, x[i]);
    });
    start += x.shape()[static_cast<int>(axis)];
  }
}

TALLY_REFERENCE(Concatenate);

}  // namespace tally
