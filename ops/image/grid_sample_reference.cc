#include "ops/image/attrs.h"
#include "ops/image/grid_taps.h"
#include "ops/indexing.h"
#include "ops/reference.h"

namespace tally {

// y[n, c, p, q] = x[n, c, v, u] between pixels, where (g_u, g_v) = grid[n, p, q] / 2^fraction in [-1, 1] and
//   v = (g_v + 1) / 2 * (H - 1) under align_corners, else ((g_v + 1) * H - 1) / 2; u alike.
// All taps are at integers, and `padding` says what those outside x read.
template <typename Int>
void ReferenceGridSample(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<GridSampleAttrs>();
  const GridForm form = attrs.form();
  const Operand<Int>&x = c.operands[0], &grid = c.operands[1];
  const Result<Int>& y = c.results[0];
  for (const int64_t o : c.elements()) {
    const Index d = Unflatten(o, y.shape());
    const auto numerator = [&](int64_t coordinate, int64_t n) {
      return GridNumerator<Int>(form, grid[Flatten({d[0], d[2], d[3], coordinate}, grid.shape())], n);
    };
    const Int v = numerator(1, x.shape()[2]), u = numerator(0, x.shape()[3]);
    Int sum(int64_t{0});
    const Int divisor = VisitGridTaps<Int>(form, v, u, [&](const Int& weight, int64_t h, int64_t w) {
      const int64_t i = PixelOfTap(h, x.shape()[2], form), j = PixelOfTap(w, x.shape()[3], form);
      if (i >= 0 && j >= 0) sum = Int(sum + weight * x[Flatten({d[0], d[1], i, j}, x.shape())]);
    });
    y.Set(o, RoundedQuotient<Int>(sum, divisor, attrs.result_fraction));
  }
}

TALLY_REFERENCE(GridSample);

}  // namespace tally
