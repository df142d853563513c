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
  const auto line_of = [&](int64_t i) { return i / (n * inner) * inner + i % inner; };
  for (const int64_t line : c.GroupsBy(x.size() / n, line_of)) {
    const int64_t start = line / inner * n * inner + line % inner;
    Int sum(0);
    for (int64_t step = 0; step < n; ++step) {
      const int64_t at = start + (attrs.reverse ? n - 1 - step : step) * inner;
      if (attrs.exclusive) c.results[0].Set(at, sum);
      if (attrs.exclusive && c.WantsOnly(0, at)) break;
      sum = Int(sum + x[at]);
      if (!attrs.exclusive) c.results[0].Set(at, sum);
      if (c.WantsOnly(0, at)) break;
    }
  }
}

TALLY_REFERENCE(CumulativeSum);

}  // namespace tally
