#include "ops/reference.h"
#include "ops/sampling/attrs.h"
#include "ops/sampling/philox.h"

namespace tally {
namespace {

template <typename Int>
int64_t IterationOf(const ReferenceContext<Int>& c, size_t i) {
  return c.operands.size() > i ? static_cast<int64_t>(c.operands[i][0]) : 0;
}

}  // namespace

// y[i] = lo + floor(bits(i) * (hi - lo + 1) / 2^64), where i is the place in row-major order.
template <typename Int>
void ReferenceRandomUniform(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<RandomUniformAttrs>();
  const RandomStream stream = {attrs.seed, attrs.layer, IterationOf(c, 0)};
  const int64_t count = attrs.hi - attrs.lo + 1;
  for (const int64_t i : c.elements()) {
    c.results[0].Set(i, Int(Int(attrs.lo) + Int(DrawBelow(DrawBits(stream, i), count))));
  }
}

TALLY_REFERENCE(RandomUniform);

// r = floor(bits(i) * S / 2^64), S being the sum of the row; y[i] = the lowest k with w[0] + .. + w[k] > r,
// and 0 in a row of zeros.
template <typename Int>
void ReferenceRandomCategorical(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<RandomCategoricalAttrs>();
  const RandomStream stream = {attrs.seed, attrs.layer, IterationOf(c, 1)};
  const Operand<Int>& weights = c.operands[0];
  const int64_t choices = weights.shape()[weights.shape().rank() - 1];
  for (const int64_t row : c.Groups(weights.size() / choices, attrs.samples)) {
    Int sum = 0;
    for (int64_t k = 0; k < choices; ++k) sum = Int(sum + weights[row * choices + k]);
    for (int64_t s = 0; s < attrs.samples; ++s) {
      const int64_t i = row * attrs.samples + s;
      if (!c.Wants(0, i)) continue;
      const Int r(DrawBelow(DrawBits(stream, i), static_cast<int64_t>(sum)));
      int64_t k = 0;
      if (sum > 0) {
        for (Int before = weights[row * choices]; before <= r; ++k) {
          before = Int(before + weights[row * choices + k + 1]);
        }
      }
      c.results[0].Set(i, Int(k));
    }
  }
}

TALLY_REFERENCE(RandomCategorical);

}  // namespace tally
