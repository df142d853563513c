// Where grid_sample reads x, and with which weights.
#pragma once

#include "base/rescale.h"
#include "ops/common/bilinear.h"
#include "ops/image/modes.h"

namespace tally {

// The position on an axis of n pixels that an element of the grid names, over 2 * 2^fraction.
template <typename Int>
constexpr Int GridNumerator(const GridForm& form, const Int& element, int64_t n) {
  const int64_t one = int64_t{1} << form.fraction;
  const Int g(element + Int(one));
  return form.align_corners ? Int(g * Int(n - 1)) : Int(g * Int(n) - Int(one));
}

template <typename Int>
constexpr int64_t NearestPixel(const GridForm& form, const Int& numerator) {
  return static_cast<int64_t>(
      RoundShift<Int>(Rounding::kHalfEven, numerator, static_cast<int>(form.fraction) + 1, false));
}

// The pixel of n that tap i reads, or -1 for a tap that reads zero.
constexpr int64_t PixelOfTap(int64_t i, int64_t n, const GridForm& form) {
  if (0 <= i && i < n) return i;
  switch (form.padding) {
    case GridPadding::kZeros: return -1;
    case GridPadding::kBorder: return i < 0 ? 0 : n - 1;
    case GridPadding::kReflection: {
      // About the centres of the border pixels, which are then not repeated, or about their outer edges.
      if (form.align_corners && n == 1) return 0;
      const int64_t period = form.align_corners ? 2 * (n - 1) : 2 * n;
      const int64_t m = i - FloorDiv(i, period) * period;
      return m < n ? m : period - (form.align_corners ? 0 : 1) - m;
    }
  }
  __builtin_unreachable();  // the decoder admits no other padding
}

// The weights of pixels index - 1 to index + 2, times 4 * whole^3: Keys' kernel with a = -3/4.
template <typename Int>
struct CubicWeights {
  constexpr explicit CubicWeights(const Position<Int>& p) {
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

// Calls visit(weight, row, column) for the taps of the position at v and u, which GridNumerator gives. What
// the sum of weight * pixel is to be divided by.
template <typename Int, typename Visit>
constexpr Int VisitGridTaps(const GridForm& form, const Int& v, const Int& u, Visit visit) {
  if (form.mode == GridSampleMode::kNearest) {
    visit(Int(int64_t{1}), NearestPixel<Int>(form, v), NearestPixel<Int>(form, u));
    return Int(int64_t{1});
  }
  const Int whole(int64_t{2} << form.fraction);
  const auto row = PositionOf<Int>(v, whole), column = PositionOf<Int>(u, whole);
  if (form.mode == GridSampleMode::kBilinear) {
    VisitWeights<Int>(row, column, visit);
    return Int(whole * whole);
  }
  const CubicWeights<Int> of_row(row), of_column(column);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      visit(Int(of_row.of_tap[i] * of_column.of_tap[j]), row.index + i - 1, column.index + j - 1);
    }
  }
  const Int cube(Int(4) * whole * whole * whole);
  return Int(cube * cube);
}

}  // namespace tally
