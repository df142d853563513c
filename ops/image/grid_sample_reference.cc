#include "ops/image/attrs.h"
#include "ops/image/grid_taps.h"
#include "ops/indexing.h"
#include "ops/reference.h"

namespace tally {
namespace {

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
    const auto numerator = [&](int64_t coordinate, int64_t n) {
      return GridNumerator<Int>(attrs, grid[Flatten({d[0], d[2], d[3], coordinate}, grid.shape())], n);
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
        sampled = {pixel(NearestPixel(attrs, v), NearestPixel(attrs, u)), Int(int64_t{1})};
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
