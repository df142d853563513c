#include "ops/image/attrs.h"
#include "ops/image/bilinear.h"
#include "ops/image/crop_grid.h"
#include "ops/indexing.h"
#include "ops/reference.h"

namespace tally {
// y[r, c, p, q] = x[batch[r], c, v, u] between pixels, where v is point p of the grid on box r's height, clamped to
// [0, H - 1], and u is point q on its width. Outside is 0 instead under zero_outside.
template <typename Int>
void ReferenceCropResize(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<CropResizeAttrs>();
  const Operand<Int>&x = c.operands[0], &boxes = c.operands[1], &batch = c.operands[2];
  const Result<Int>& y = c.results[0];
  const int64_t unit = CropUnit(attrs.fraction);
  for (int64_t o = 0; o < y.size(); ++o) {
    const Index d = Unflatten(o, y.shape());
    const int64_t n = ClampedIndex<Int>(batch[d[0]], x.shape()[0] - 1);
    Position<Int> position[2];
    bool outside = false;
    for (int i = 0; i < 2; ++i) {
      const int64_t extent = x.shape()[2 + i] - 1;
      const Int scale(Int(attrs.multiplier) * Int(attrs.normalized ? extent : 1));
      const Span<Int> span = SpanOf<Int>(attrs.boxes, scale, boxes, d[0], i);
      const Int whole(unit * CropSteps(attrs.grid, attrs.size[i]));
      const Int point = CropPoint<Int>(attrs.grid, span.start, span.length, unit, d[2 + i], attrs.size[i]);
      const Int inside = Clamped<Int>(point, Int(int64_t{0}), Int(whole * Int(extent)));
      outside = outside || inside != point;
      position[i] = PositionOf<Int>(inside, whole);
    }
    if (outside && attrs.zero_outside) {
      y.Set(o, Int(int64_t{0}));
      continue;
    }
    const Int sum = BilinearSum<Int>(position[0], position[1], [&](int64_t h, int64_t v) {
      return x[Flatten({n, d[1], h, v}, x.shape())];
    });
    y.Set(o, RoundedQuotient<Int>(sum, Int(position[0].whole * position[1].whole), attrs.result_fraction));
  }
}

TALLY_REFERENCE(CropResize);

}  // namespace tally
