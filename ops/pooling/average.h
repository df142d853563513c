// How the sum of a window becomes its result.
#pragma once

#include "base/division.h"
#include "ops/pooling/attrs.h"
#include "ops/window.h"

namespace tally {

// Taps of the window at `place` inside x, or inside the padded axes of x.
inline int64_t CountTaps(const Windows& windows, const Index& place, const Shape& x, bool include_padding) {
  int64_t count = 1;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const Window& w = windows[axis];
    const int64_t lo = include_padding ? -w.pad_begin : 0;
    const int64_t hi = x[axis] + (include_padding ? w.pad_end : 0);
    count *= TapsInside(w, place[axis], lo, hi).count();
  }
  return count;
}

// clamp(round(sum * multiplier / (count * 2^shift)) + zero_out, lo, hi). One rounding.
template <typename Int>
Int AverageOf(const AveragePoolAttrs& attrs, const Int& sum, int64_t count) {
  const Int lo(attrs.lo), hi(attrs.hi);
  const Int product(sum * Int(attrs.multiplier));
  const Int divisor(Int(count) * Int(int64_t{1} << attrs.shift));
  const Int y(RoundDiv<Int>(attrs.rounding, product, divisor) + Int(attrs.zero_out));
  return y < lo ? lo : y > hi ? hi : y;
}

}  // namespace tally
