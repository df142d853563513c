#include <algorithm>

#include "ops/gather/attrs.h"
#include "ops/reference.h"

namespace tally {

// With x seen as [outer, n, inner] around the axis and the indices flattened:
//
//   y[o, j, i] = x[o, clamp(indices[j], 0, n - 1), i]
//
// Without an axis all of x is that axis. A negative index clamps to 0: it does not count from the back.
template <typename Int>
void ReferenceTake(const ReferenceContext<Int>& c) {
  const TakeAttrs attrs = c.template attrs<TakeAttrs>();
  const Operand<Int>&x = c.operands[0], &indices = c.operands[1];
  int64_t n = x.size();
  int64_t inner = 1;
  if (!attrs.axis.empty()) {
    const int axis = static_cast<int>(attrs.axis[0] < 0 ? attrs.axis[0] + x.shape().rank() : attrs.axis[0]);
    n = x.shape()[axis];
    inner = x.shape().stride(axis);
  }
  for (const int64_t row : c.Groups(c.results[0].size() / inner, inner)) {
    const int64_t o = row / indices.size(), j = row % indices.size();
    // Clamped as an element, because an element need not fit an index.
    const int64_t k = static_cast<int64_t>(std::clamp<Int>(indices[j], Int(0), Int(n - 1)));
    for (const int64_t at : c.Part(0, row * inner, inner)) {
      c.results[0].Set(at, x[(o * n + k) * inner + at - row * inner]);
    }
  }
}

TALLY_REFERENCE(Take);

}  // namespace tally
