#include "ops/indexing.h"
#include "ops/linear/attrs.h"
#include "ops/reference.h"

namespace tally {

// y[d.., m, n] = sum over k of (a[d.., m, k] - zero_a) * (b[d.., k, n] - zero_b), the axes d broadcast; the
// last two coordinates of a transposed operand are exchanged.
template <typename Int>
void ReferenceMatmul(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<MatmulAttrs>();
  const Operand<Int>&a = c.operands[0], &b = c.operands[1];
  const Result<Int>& y = c.results[0];
  const Int zero_a(attrs.zero_a), zero_b(attrs.zero_b);
  const int rank = y.shape().rank();
  const int64_t K = a.shape()[a.shape().rank() - (attrs.transpose_a ? 2 : 1)];
  // Elements between neighbours along k: a row of the stored matrix where k counts its rows, else 1.
  const int64_t a_step = attrs.transpose_a ? a.shape()[a.shape().rank() - 1] : 1;
  const int64_t b_step = attrs.transpose_b ? 1 : b.shape()[b.shape().rank() - 1];
  const StridedView in_a = BroadcastView(a.shape(), y.shape()), in_b = BroadcastView(b.shape(), y.shape());
  for (const int64_t i : c.elements()) {
    const Index d = Unflatten(i, y.shape());
    const int64_t m = d[rank - 2], n = d[rank - 1];
    Index at_a = d, at_b = d;  // for the terms k = 0
    at_a[rank - 2] = attrs.transpose_a ? 0 : m;
    at_a[rank - 1] = attrs.transpose_a ? m : 0;
    at_b[rank - 2] = attrs.transpose_b ? n : 0;
    at_b[rank - 1] = attrs.transpose_b ? 0 : n;
    const int64_t first_a = in_a.At(at_a), first_b = in_b.At(at_b);
    Int acc = 0;
    for (int64_t k = 0; k < K; ++k) {
      acc += Int(a[first_a + k * a_step] - zero_a) * Int(b[first_b + k * b_step] - zero_b);
    }
    y.Set(i, acc);
  }
}

TALLY_REFERENCE(Matmul);

}  // namespace tally
