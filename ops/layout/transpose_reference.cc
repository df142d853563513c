#include "ops/layout/permutation_shape.h"
#include "ops/movement.h"

namespace tally {

// y[d[p[0]], d[p[1]], ...] = x[d[0], d[1], ...] for the permutation p: axis i of y is axis p[i] of x.
template <typename Int>
void ReferenceTranspose(const ReferenceContext<Int>& c) {
  const int rank = c.results[0].shape().rank();
  const Index permutation = Permutation(c.template attrs<TransposeAttrs>(), rank);
  StridedView view = {.rank = rank};
  for (int i = 0; i < rank; ++i)
    view.strides[i] = c.operands[0].shape().stride(static_cast<int>(permutation[i]));
  MoveView(c, view);
}

TALLY_REFERENCE(Transpose);

}  // namespace tally
