#include "ops/common/bilinear.h"
#include "ops/image/attrs.h"
#include "ops/image/crop_grid.h"
#include "ops/indexing.h"
#include "ops/reference.h"

namespace tally {

using image::CropPosition;
using image::CropPositionOf;

// y[r, c, p, q] = x[batch[r], c, v, u] between pixels, where v is point p of the grid on box r's height,
// clamped to [0, H - 1], and u is point q on its width. Outside is 0 instead under zero_outside.
template <typename Int>
void ReferenceCropResize(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<CropResizeAttrs>();
  const Operand<Int>&x = c.operands[0], &boxes = c.operands[1], &batch = c.operands[2];
  const Result<Int>& y = c.results[0];
  const CropForm form = attrs.form();
  const int64_t dims[] = {x.shape()[2], x.shape()[3]};
  for (const int64_t o : c.elements()) {
    const Index d = Unflatten(o, y.shape());
    const int64_t n = ClampedIndex<Int>(batch[d[0]], x.shape()[0] - 1);
    const CropPosition<Int> position = CropPositionOf<Int>(form, boxes, d[0], {d[2], d[3]}, dims);
    if (position.outside && attrs.zero_outside) {
      y.Set(o, Int(int64_t{0}));
      continue;
    }
    const auto& [row, column] = position.along;
    const Int sum = BilinearSum<Int>(row, column, [&](int64_t h, int64_t v) {
      return x[Flatten({n, d[1], h, v}, x.shape())];
    });
    y.Set(o, RoundedQuotient<Int>(sum, Int(row.whole * column.whole), attrs.result_fraction));
  }
}

TALLY_REFERENCE(CropResize);

}  // namespace tally
