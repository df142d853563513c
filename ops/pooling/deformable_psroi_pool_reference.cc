#include "ops/indexing.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/roi_samples.h"
#include "ops/reference.h"

namespace tally {

using pooling::MovedBins;
using pooling::MovedScale;
using pooling::RoiEnds;

// y[r, c, p, q] = the mean of x[batch[r], (c * PH + p) * PW + q] at the samples of bin (p, q) that are
// inside, or 0 when none does. Offsets [r, 2 * class + {0: x, 1: y}, p * parts / PH, q * parts / PW] move a
// bin.
template <typename Int>
void ReferenceDeformablePsroiPool(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<DeformablePsroiPoolAttrs>();
  const Operand<Int>&x = c.operands[0], &rois = c.operands[1], &batch = c.operands[2];
  const Result<Int>& y = c.results[0];
  const int64_t PH = attrs.pooled_size[0], PW = attrs.pooled_size[1], H = x.shape()[2], W = x.shape()[3];
  const MovedScale scale = {attrs.multiplier, attrs.fraction, attrs.shift, attrs.offset_fraction,
                            attrs.position_fraction};
  for (const int64_t o : c.elements()) {
    const Index d = Unflatten(o, y.shape());
    const int64_t n = ClampedIndex<Int>(batch[d[0]], x.shape()[0] - 1);
    const int64_t channel = (d[1] * PH + d[2]) * PW + d[3];
    Int move[2] = {Int(int64_t{0}), Int(int64_t{0})};  // along H and along W
    if (c.operands.size() == 4) {
      const Operand<Int>& offsets = c.operands[3];
      const Shape& parts = offsets.shape();
      const int64_t group = d[1] / (y.shape()[1] / (parts[1] / 2));
      for (int i = 0; i < 2; ++i) {
        const Index at = {d[0], 2 * group + 1 - i, d[2] * parts[2] / PH, d[3] * parts[3] / PW};
        move[i] = Int(offsets[Flatten(at, parts)] * Int(attrs.offset_multiplier));
      }
    }
    const MovedBins<Int> rows(scale, RoiEnds<Int>(rois, d[0], 0), PH, attrs.spatial_bins[0]),
        columns(scale, RoiEnds<Int>(rois, d[0], 1), PW, attrs.spatial_bins[1]);
    Int sum(int64_t{0});
    int64_t count = 0;
    for (int64_t i = 0; i < attrs.spatial_bins[0]; ++i) {
      Position<Int> row, column;
      if (!rows.PositionOfSample(d[2], i, move[0], H, &row)) continue;
      for (int64_t j = 0; j < attrs.spatial_bins[1]; ++j) {
        if (!columns.PositionOfSample(d[3], j, move[1], W, &column)) continue;
        sum = Int(sum + BilinearSum<Int>(row, column, [&](int64_t h, int64_t v) {
                    return x[Flatten({n, channel, h, v}, x.shape())];
                  }));
        ++count;
      }
    }
    const Int divisor((int64_t{1} << (2 * attrs.position_fraction)) * std::max<int64_t>(count, 1));
    y.Set(o, RoundedQuotient<Int>(sum, divisor, attrs.result_fraction));
  }
}

TALLY_REFERENCE(DeformablePsroiPool);

}  // namespace tally
