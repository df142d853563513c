#include "ops/layout/slice_shape.h"
#include "ops/movement.h"

namespace tally {

// y[d] = x[k] with k_i = begin_i + stride_i * d_i
template <typename Int>
void ReferenceStridedSlice(const ReferenceContext<Int>& c) {
  const StridedSliceAttrs attrs = c.template attrs<StridedSliceAttrs>();
  const Shape& x = c.operands[0].shape();
  std::array<AxisSlice, kMaxRank> slices;
  for (int i = 0; i < x.rank(); ++i) slices[i] = SliceOfAxis(attrs, i, x[i]);
  Move(c, [&](const Index& d) {
    Index k = {};
    for (int i = 0; i < x.rank(); ++i) k[i] = slices[i].begin + slices[i].stride * d[i];
    return k;
  });
}

// y[d] = x[d]; the elements of the second operand do not matter.
template <typename Int>
void ReferenceSliceLike(const ReferenceContext<Int>& c) {
  Move(c, [](const Index& d) { return d; });
}

TALLY_REFERENCE(StridedSlice);
TALLY_REFERENCE(SliceLike);

}  // namespace tally
