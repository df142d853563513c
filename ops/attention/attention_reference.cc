#include <vector>

#include "ops/attention/attrs.h"
#include "ops/attention/query.h"
#include "ops/common/requantize.h"
#include "ops/common/softmax_row.h"
#include "ops/reference.h"

namespace tally {

// p = softmax of the logits in 15 bits, y = clamp(round(sum of p v * multiplier / 2^shift) + zero_out).
template <typename Int>
void ReferenceScaledDotProductAttention(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<ScaledDotProductAttentionAttrs>();
  const Result<Int>& y = c.results[0];
  const int64_t columns = y.shape()[y.shape().rank() - 1];
  for (const int64_t row : c.Groups(y.size() / columns, columns)) {
    const int64_t first = row * columns;
    const AttentionQuery<Int> query(c.operands, attrs, y.shape(), Unflatten(first, y.shape()));
    std::vector<Int> weights;
    for (int64_t key = 0; key < query.keys(); ++key) weights.push_back(query.Logit(key));
    const SoftmaxRow<Int> softmax(c.operands[3], std::ssize(weights), kProbabilityBits,
                                  [&](int64_t s) { return weights[s]; });
    for (Int& weight : weights) weight = softmax(weight);
    for (const int64_t at : c.Part(0, first, columns)) {
      const int64_t column = at - first;
      Int mean(int64_t{0});
      for (int64_t s = 0; s < std::ssize(weights); ++s) {
        mean = Int(mean + weights[s] * query.Element(2, s, column));
      }
      y.Set(first + column, Requantize<Int>(Int(mean * Int(attrs.multiplier)), attrs));
    }
  }
}

TALLY_REFERENCE(ScaledDotProductAttention);

}  // namespace tally
