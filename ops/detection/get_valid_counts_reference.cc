#include "ops/detection/attrs.h"
#include "ops/reference.h"

namespace tally {

// valid_count[b] = the number of rows n with x[b, n, 1] > score_threshold.
// y[b, i, k] = x[b, n, k] for the i-th such row n, in ascending order of n; the rows after them are -1.
template <typename Int>
void ReferenceGetValidCounts(const ReferenceContext<Int>& c) {
  const Operand<Int>& x = c.operands[0];
  const Result<Int>&valid_count = c.results[0], &y = c.results[1];
  const Int threshold = c.template attrs<GetValidCountsAttrs>().score_threshold;
  const int64_t B = x.shape()[0], N = x.shape()[1], K = x.shape()[2];
  for (int64_t b = 0; b < B; ++b) {
    if (!c.WantsOf(1, b * N * K, N * K) && !c.Wants(0, b)) continue;
    int64_t valid = 0;
    for (int64_t n = 0; n < N; ++n) {
      if (x[(b * N + n) * K + 1] <= threshold) continue;
      for (int64_t k = 0; k < K; ++k) {
        const int64_t at = (b * N + valid) * K + k;
        if (c.Wants(1, at)) y.Set(at, x[(b * N + n) * K + k]);
      }
      ++valid;
    }
    valid_count.Set(b, Int(valid));
    for (int64_t i = (b * N + valid) * K; i < (b + 1) * N * K; ++i) y.Set(i, Int(-1));
  }
}

TALLY_REFERENCE(GetValidCounts);

}  // namespace tally
