#include "base/rescale.h"
#include "ops/image/attrs.h"
#include "ops/image/bilinear.h"
#include "ops/indexing.h"
#include "ops/reference.h"

namespace tally {
namespace {

// The pixel of n that tap i reads, or -1 for a tap that reads zero.
int64_t PixelOfTap(int64_t i, int64_t n, const GridSampleAttrs& attrs) {
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

// What is to be divided by `divisor`.
template <typename Int>
struct Sampled {
  Int sum;
  Int divisor;
};

template <typename Int, typename Pixel>
Sampled<Int> CubicSum(const Position<Int>& y, const Position<Int>& x, Pixel pixel) {
  const CubicWeights<Int> of_y(y), of_x(x);
  Int sum(int64_t{0});
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      sum = Int(sum + Int(of_y.of_tap[i] * of_x.of_tap[j]) * pixel(y.index + i - 1, x.index + j - 1));
    }
  }
  const Int cube(Int(4) * y.whole * y.whole * y.whole);
  return {sum, Int(cube * cube)};
}

}  // namespace

// y[n, c, p, q] = x[n, c, v, u] between pixels, where (g_u, g_v) = grid[n, p, q] / 2^fraction in [-1, 1] and
//   v = (g_v + 1) / 2 * (H - 1) under align_corners, else ((g_v + 1) * H - 1) / 2; u alike.
// All taps are at integers, and `padding` says what those outside x read.
template <typename Int>
void ReferenceGridSample(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<GridSampleAttrs>();
  const Operand<Int>&x = c.operands[0], &grid = c.operands[1];
  const Result<Int>& y = c.results[0];
  const int64_t one = int64_t{1} << attrs.fraction;
  for (int64_t o = 0; o < y.size(); ++o) {
    const Index d = Unflatten(o, y.shape());
    const auto numerator = [&](int64_t coordinate, int64_t n) {  // over 2 * one
      const Int g(grid[Flatten({d[0], d[2], d[3], coordinate}, grid.shape())] + Int(one));
      return attrs.align_corners ? Int(g * Int(n - 1)) : Int(g * Int(n) - Int(one));
    };
    const auto pixel = [&](int64_t h, int64_t v) {
      const int64_t i = PixelOfTap(h, x.shape()[2], attrs), j = PixelOfTap(v, x.shape()[3], attrs);
      return i < 0 || j < 0 ? Int(int64_t{0}) : x[Flatten({d[0], d[1], i, j}, x.shape())];
    };
    const Int v = numerator(1, x.shape()[2]), u = numerator(0, x.shape()[3]);
    const Position<Int> row = PositionOf<Int>(v, Int(2 * one)), column = PositionOf<Int>(u, Int(2 * one));
    Sampled<Int> sampled;
    switch (attrs.mode) {
      case GridSampleMode::kNearest: {
        const auto nearest = [&](const Int& position) {
          return static_cast<int64_t>(
              RoundShift<Int>(Rounding::kHalfEven, position, static_cast<int>(attrs.fraction) + 1, false));
        };
        sampled = {pixel(nearest(v), nearest(u)), Int(int64_t{1})};
        break;
      }
      case GridSampleMode::kBilinear:
        sampled = {BilinearSum<Int>(row, column, pixel), Int(row.whole * column.whole)};
        break;
      case GridSampleMode::kCubic: sampled = CubicSum<Int>(row, column, pixel); break;
    }
    y.Set(o, RoundedQuotient<Int>(sampled.sum, sampled.divisor, attrs.result_fraction));
  }
}

TALLY_REFERENCE(GridSample);

}  // namespace tally
