// Where grid_sample reads x, and the weights of its cubic mode.
#pragma once

#include "base/rescale.h"
#include "ops/image/attrs.h"
#include "ops/image/bilinear.h"

namespace tally {

// The position on an axis of n pixels that an element of the grid names, over 2 * 2^fraction.
template <typename Int>
Int GridNumerator(const GridSampleAttrs& attrs, const Int& element, int64_t n) {
  const int64_t one = int64_t{1} << attrs.fraction;
  const Int g(element + Int(one));
  return attrs.align_corners ? Int(g * Int(n - 1)) : Int(g * Int(n) - Int(one));
}

template <typename Int>
int64_t NearestPixel(const GridSampleAttrs& attrs, const Int& numerator) {
  return static_cast<int64_t>(
      RoundShift<Int>(Rounding::kHalfEven, numerator, static_cast<int>(attrs.fraction) + 1, false));
}

// The pixel of n that tap i reads, or -1 for a tap that reads zero.
inline int64_t PixelOfTap(int64_t i, int64_t n, const GridSampleAttrs& attrs) {
  if (0 <= i && i < n) return i;
  switch (attrs.padding) {
    case GridPadding::kZeros: return -1;
    case GridPadding::kBorder: return i < 0 ? 0 : n - 1;
    case GridPadding::kReflection: {
      // About the centres of the border pixels, which are then not repeated, or about their outer edges.
      if (attrs.align_corners && n == 1) return 0;
      const int64_t period = attrs.align_corners ? 2 * (n - 1) : 2 * n;
      const int64_t m = i - FloorDiv(i, period) * period;
      return m < n ? m : period - (attrs.align_corners ? 0 : 1) - m;
    }
  }
  __builtin_unreachable();  // the decoder admits no other padding
}

// The weights of pixels index - 1 to index + 2, times 4 * whole^3: Keys' kernel with a = -3/4.
template <typename Int>
struct CubicWeights {
  explicit CubicWeights(const Position<Int>& p) {
    const Int& w = p.whole;
    const auto near = [&](const Int& z) {  // 4 (a + 2) z^3 - 4 (a + 3) z^2 + 4
      return Int(Int(5) * z * z * z - Int(9) * z * z * w + Int(4) * w * w * w);
    };
    const auto far = [&](const Int& z) {  // 4 a (z^3 - 5 z^2 + 8 z - 4)
      return Int(Int(-3) * z * z * z + Int(15) * z * z * w - Int(24) * z * w * w + Int(12) * w * w * w);
    };
    of_tap[0] = far(Int(w + p.part));
    of_tap[1] = near(p.part);
    of_tap[2] = near(Int(w - p.part));
    of_tap[3] = far(Int(w + w - p.part));
  }
  Int of_tap[4];
};

}  // namespace tally
