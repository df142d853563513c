#include "ops/indexing.h"
#include "ops/reduction/attrs.h"
#include "ops/reference.h"

namespace tally {

// y[d] = the sum of x[d with d_axis = j] over all j up to d_axis: j <= d_axis; j < d_axis if exclusive; from
// the other end if reverse.
template <typename Int>
void ReferenceCumulativeSum(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<CumulativeSumAttrs>();
  const Operand<Int>& x = c.operands[0];
  const Shape& shape = x.shape();
  const int axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + shape.rank() : attrs.axis);
  const int64_t n = shape[axis], inner = shape.stride(axis);
  for (int64_t start = 0; start < x.size(); start += n * inner) {
    for (int64_t i = 0; i < inner; ++i) {
      Int sum(0);
      for (int64_t step = 0; step < n; ++step) {
        const int64_t at = start + (attrs.reverse ? n - 1 - step : step) * inner + i;
        const Int next = Int(sum + x[at]);
        c.results[0].Set(at, attrs.exclusive ? sum : next);
        sum = next;
      }
    }
  }
}

TALLY_REFERENCE(CumulativeSum);

}  // namespace tally
