#include <algorithm>

#include "ops/elements.h"
#include "ops/indexing.h"
#include "ops/layout/attrs.h"
#include "ops/reference.h"

namespace tally {
namespace {

int64_t FloorMod(int64_t a, int64_t b) { return (a % b + b) % b; }

// The index in [0, n) of the element that is at index i of an axis that goes on for ever. Mirrored axes
// repeat after each pair of mirrors.
int64_t Source(PadMode mode, int64_t i, int64_t n) {
  switch (mode) {
    case PadMode::kConstant: return i;
    case PadMode::kEdge: return std::clamp<int64_t>(i, 0, n - 1);
    case PadMode::kReflect: {
      if (n == 1) return 0;
      const int64_t k = FloorMod(i, 2 * (n - 1));
      return std::min(k, 2 * (n - 1) - k);
    }
    case PadMode::kSymmetric: {
      const int64_t k = FloorMod(i, 2 * n);
      return std::min(k, 2 * n - 1 - k);
    }
    case PadMode::kWrap: return FloorMod(i, n);
  }
  __builtin_unreachable();  // the decoder admits no other mode
}

}  // namespace

// y[d] = x[d - before] where that is an index of x, else value or what the mode puts there.
template <typename Int>
void ReferencePad(const ReferenceContext<Int>& c) {
  const PadAttrs attrs = c.template attrs<PadAttrs>();
  const Operand<Int>& x = c.operands[0];
  const Result<Int>& y = c.results[0];
  ForEachElement(c, [&](int64_t i, Index d) {
    bool inside = true;
    for (int axis = 0; axis < y.shape().rank(); ++axis) {
      d[axis] = Source(attrs.mode, d[axis] - attrs.before[axis], x.shape()[axis]);
      inside = inside && 0 <= d[axis] && d[axis] < x.shape()[axis];
    }
    y.Set(i, inside ? x[Flatten(d, x.shape())] : Int(attrs.value));
  });
}

TALLY_REFERENCE(Pad);

}  // namespace tally
