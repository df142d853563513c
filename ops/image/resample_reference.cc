#include "ops/elements.h"
#include "ops/image/attrs.h"
#include "ops/indexing.h"
#include "ops/reference.h"

namespace tally {

// y[..., o, ...] = sum over t of weight[o, t] * x[..., index[o, t], ...]
template <typename Int>
void ReferenceResample(const ReferenceContext<Int>& c) {
  const Operand<Int>&x = c.operands[0], &index = c.operands[1], &weight = c.operands[2];
  const Result<Int>& y = c.results[0];
  const int64_t attribute = c.template attrs<ResampleAttrs>().axis;
  const int64_t axis = attribute < 0 ? attribute + x.shape().rank() : attribute;
  const int64_t taps = index.shape()[1];
  ForEachElement(c, [&](int64_t i, Index d) {
    const int64_t row = d[axis] * taps;
    Int sum(int64_t{0});
    for (int64_t t = 0; t < taps; ++t) {
      d[axis] = static_cast<int64_t>(index[row + t]);
      sum = Int(sum + weight[row + t] * x[Flatten(d, x.shape())]);
    }
    y.Set(i, sum);
  });
}

TALLY_REFERENCE(Resample);

}  // namespace tally
