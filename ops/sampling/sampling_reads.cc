// The elements that one drawn element reads.
#include "ops/sampling/attrs.h"
#include "ops/sampling/rules.h"

namespace tally {

Region RowOfWeights(const ReadContext& c, int) {
  const Shape& weights = c.shape(0);
  const int64_t row = c.element / c.attrs<RandomCategoricalAttrs>().samples;
  const Index d = Unflatten(row * weights[weights.rank() - 1], weights);
  Region region = WholeOf(weights);
  for (int axis = 0; axis < weights.rank() - 1; ++axis) region.Set(axis, d[axis]);
  return region;
}

}  // namespace tally
