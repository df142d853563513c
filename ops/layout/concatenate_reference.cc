#include "ops/layout/attrs.h"
#include "ops/reference.h"

namespace tally {

// y[.., start_k + d_axis, ..] = x_k[.., d_axis, ..], where start_k is the sum of the earlier operands' dims.
template <typename Int>
void ReferenceConcatenate(const ReferenceContext<Int>& c) {
  const Result<Int>& y = c.results[0];
  int64_t axis = c.template attrs<ConcatenateAttrs>().axis;
  if (axis < 0) axis += y.shape().rank();
  const int64_t inner = y.shape().stride(static_cast<int>(axis));
  const int64_t line = y.shape()[static_cast<int>(axis)] * inner;  // elements with the same d before the axis
  int64_t start = 0;
  for (const Operand<Int>& x : c.operands) {
    const int64_t part = x.shape()[static_cast<int>(axis)] * inner;
    for (const int64_t o : c.Groups(y.size() / line, line)) {
      const int64_t first = o * line + start;
      for (const int64_t at : c.Part(0, first, part)) y.Set(at, x[o * part + at - first]);
    }
    start += part;
  }
}

TALLY_REFERENCE(Concatenate);

}  // namespace tally
