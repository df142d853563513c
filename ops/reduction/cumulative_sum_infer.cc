#include "base/status_macros.h"
#include "ops/infer.h"
#include "ops/reduction/attrs.h"
#include "ops/reduction/labels.h"
#include "ops/reduction/rules.h"

namespace tally {

absl::Status InferCumulativeSum(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<CumulativeSumAttrs>();
  const Shape& x = c.shape(0);
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attrs.axis, x.rank(), label::cumulative_sum_c1));
  const auto times = [&](int64_t n) { return WideInterval(c.interval(0)) * WideInterval(n, n); };
  // In any order, a prefix is a sum of some of the elements.
  RETURN_IF_ERROR(out->SetAccumulator(c, times(x[axis]).Hull({0, 0})));
  // The shortest and the longest sum; those between are between.
  const int64_t longest = attrs.exclusive ? x[axis] - 1 : x[axis];
  return out->AddResult(c, x, times(attrs.exclusive ? 0 : 1).Hull(times(longest)));
}

}  // namespace tally
