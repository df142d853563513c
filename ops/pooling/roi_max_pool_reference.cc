#include "ops/indexing.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/roi.h"
#include "ops/reference.h"

namespace tally {

using pooling::Bin;
using pooling::MaxPoolBin;
using pooling::RoiEnds;

// y[r, c, p, q] = max of x[batch[r], c, h, v] over the pixels h of bin p and v of bin q, or 0 when there are
// none. A region is max(last - first + 1, 1) pixels long.
template <typename Int>
void ReferenceRoiMaxPool(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<RoiAttrs>();
  const Operand<Int>&x = c.operands[0], &rois = c.operands[1], &batch = c.operands[2];
  const Result<Int>& y = c.results[0];
  const Int multiplier(attrs.multiplier);
  for (const int64_t o : c.elements()) {
    const Index d = Unflatten(o, y.shape());
    const int64_t n = ClampedIndex<Int>(batch[d[0]], x.shape()[0] - 1);
    Bin bins[2];
    for (int i = 0; i < 2; ++i) {
      bins[i] = MaxPoolBin<Int>(RoiEnds<Int>(rois, d[0], i), multiplier, attrs.fraction + attrs.shift,
                                d[2 + i], attrs.pooled_size[i], x.shape()[2 + i]);
    }
    Int greatest(int64_t{0});
    bool empty = true;
    for (int64_t h = bins[0].first; h < bins[0].end; ++h) {
      for (int64_t v = bins[1].first; v < bins[1].end; ++v) {
        const Int value = x[Flatten({n, d[1], h, v}, x.shape())];
        if (empty || greatest < value) greatest = value;
        empty = false;
      }
    }
    y.Set(o, greatest);
  }
}

TALLY_REFERENCE(RoiMaxPool);

}  // namespace tally
