#include "ops/layout/attrs.h"
#include "ops/movement.h"

namespace tally {

// With b on the batch axis, t on the sequence axis of T elements and n = clamp(lengths[b], 0, T):
//
//   y[b, t] = x[b, n - 1 - t] for t < n, and x[b, t] behind
template <typename Int>
void ReferenceReverseSequence(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<ReverseSequenceAttrs>();
  const Operand<Int>&x = c.operands[0], &lengths = c.operands[1];
  const int rank = x.shape().rank();
  const int batch = static_cast<int>(attrs.batch_axis < 0 ? attrs.batch_axis + rank : attrs.batch_axis);
  const int sequence = static_cast<int>(attrs.seq_axis < 0 ? attrs.seq_axis + rank : attrs.seq_axis);
  const int64_t longest = x.shape()[sequence];
  Move(c, [&](Index d) {
    const Int length = lengths[d[batch]];
    const int64_t n = length < Int(0) ? 0 : length > Int(longest) ? longest : static_cast<int64_t>(length);
    if (d[sequence] < n) d[sequence] = n - 1 - d[sequence];
    return d;
  });
}

TALLY_REFERENCE(ReverseSequence);

}  // namespace tally
