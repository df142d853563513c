#include "ops/reference.h"

namespace tally {

// y[m, u] = sum over k of x[m, k] * w[u, k] + bias[u]
template <typename Int>
void ReferenceDense(const ReferenceContext<Int>& c) {
  const Operand<Int>&x = c.operands[0], &w = c.operands[1];
  const int64_t units = w.shape()[0], K = w.shape()[1];
  for (const int64_t i : c.elements()) {
    const int64_t m = i / units, u = i % units;
    Int acc = 0;
    for (int64_t k = 0; k < K; ++k) acc = Int(acc + x[m * K + k] * w[u * K + k]);
    if (c.operands.size() == 3) acc = Int(acc + c.operands[2][u]);
    c.results[0].Set(i, acc);
  }
}

TALLY_REFERENCE(Dense);

}  // namespace tally
