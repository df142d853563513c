// The elements that one element of a reduction reads.
#include "ops/reduction/attrs.h"
#include "ops/reduction/reduce_shape.h"
#include "ops/reduction/rules.h"

namespace tally {

Region SliceOf(const Shape& x, AxisSet axes, int64_t row) {
  const Index d = Unflatten(row, ReduceOver(x, axes).kept);
  Region region = WholeOf(x);
  for (int axis = 0; axis < x.rank(); ++axis) {
    if ((axes >> axis & 1) == 0) region.Set(axis, d[axis]);
  }
  return region;
}

// Whether the reduced axes are removed or kept leaves the number of a result unchanged.
template <typename Attrs>
Region ReducedSlice(const ReadContext& c, int) {
  return SliceOf(c.shape(0), AxesToReduce(c.attrs<Attrs>(), c.shape(0).rank()), c.element);
}
template Region ReducedSlice<CvmReduceAttrs>(const ReadContext&, int);
template Region ReducedSlice<ReduceAttrs>(const ReadContext&, int);
template Region ReducedSlice<ArgExtremeAttrs>(const ReadContext&, int);

Region SummedLine(const ReadContext& c, int) {
  const auto attrs = c.attrs<CumulativeSumAttrs>();
  const Shape& x = c.shape(0);
  const int axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + x.rank() : attrs.axis);
  Region region = SameElement(c, 0);
  const int64_t at = region.begin[axis], own = attrs.exclusive ? 0 : 1;
  if (attrs.reverse) {
    region.Set(axis, at + 1 - own, x[axis] - at - 1 + own);
  } else {
    region.Set(axis, 0, at + own);
  }
  return region;
}

}  // namespace tally
