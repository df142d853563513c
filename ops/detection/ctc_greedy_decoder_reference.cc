#include "ops/detection/attrs.h"
#include "ops/reference.h"

namespace tally {

// k[t] = the lowest class of the greatest x[t, n, :], for the steps t before the first one that the mask
// clears. y[n] = the k[t] that are neither blank nor, when repetitions merge, equal to k[t - 1]; the rest is
// -1.
template <typename Int>
void ReferenceCtcGreedyDecoder(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<CtcGreedyDecoderAttrs>();
  const Operand<Int>& x = c.operands[0];
  const Result<Int>&y = c.results[0], &length = c.results[1];
  const int64_t T = x.shape()[0], N = x.shape()[1], C = x.shape()[2];
  for (int64_t n = 0; n < N; ++n) {
    if (!c.WantsOf(0, n * T, T) && !c.Wants(1, n)) continue;
    int64_t symbols = 0, previous = -1;
    for (int64_t t = 0; t < T; ++t) {
      if (c.operands.size() == 2 && c.operands[1][t * N + n] == 0) break;
      int64_t best = 0;
      for (int64_t k = 1; k < C; ++k) {
        if (x[(t * N + n) * C + k] > x[(t * N + n) * C + best]) best = k;
      }
      const bool repeated = attrs.merge_repeated && best == previous;
      if (best != attrs.blank && !repeated) y.Set(n * T + symbols++, Int(best));
      previous = best;
    }
    length.Set(n, Int(symbols));
    for (; symbols < T; ++symbols) y.Set(n * T + symbols, Int(-1));
  }
}

TALLY_REFERENCE(CtcGreedyDecoder);

}  // namespace tally
