#include "ops/indexing.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/roi_samples.h"
#include "ops/reference.h"

namespace tally {
namespace {

using pooling::AverageBin;
using pooling::Bin;
using pooling::RegionParts;
using pooling::RoiEnds;

// The mean of the pixels of bin (p, q) in the channel of that bin.
template <typename Int>
Int AverageOfBin(const ReferenceContext<Int>& c, const PsroiPoolAttrs& attrs, int64_t n, const Index& d) {
  const Operand<Int>&x = c.operands[0], &rois = c.operands[1];
  const Int multiplier(attrs.multiplier);
  const int64_t bins_w = attrs.pooled_size[1];
  const int64_t channel = (d[1] * attrs.pooled_size[0] + d[2]) * bins_w + d[3];
  Bin bins[2];
  for (int i = 0; i < 2; ++i) {
    bins[i] = AverageBin<Int>(RoiEnds<Int>(rois, d[0], i), multiplier, attrs.fraction, attrs.shift, d[2 + i],
                              attrs.pooled_size[i], x.shape()[2 + i]);
  }
  const int64_t count = bins[0].size() * bins[1].size();
  if (count == 0) return Int(int64_t{0});
  Int sum(int64_t{0});
  for (int64_t h = bins[0].first; h < bins[0].end; ++h) {
    for (int64_t v = bins[1].first; v < bins[1].end; ++v) {
      sum = Int(sum + x[Flatten({n, channel, h, v}, x.shape())]);
    }
  }
  return RoundedQuotient<Int>(sum, Int(count), attrs.result_fraction);
}

// The mean over the parts of a region of the value between pixels at point (p, q) of the part, each in a
// channel of its own; 0 for a point outside.
template <typename Int>
Int AverageOfParts(const ReferenceContext<Int>& c, const PsroiPoolAttrs& attrs, int64_t n, const Index& d) {
  const Operand<Int>& x = c.operands[0];
  const RoiEnds<Int> height(c.operands[1], d[0], 0), width(c.operands[1], d[0], 1);
  const int64_t parts_h = attrs.spatial_bins[0], parts_w = attrs.spatial_bins[1];
  const RegionParts rows = {attrs.multiplier, attrs.fraction + attrs.shift, attrs.pooled_size[0], parts_h},
                    columns = {attrs.multiplier, attrs.fraction + attrs.shift, attrs.pooled_size[1], parts_w};
  Int sum(int64_t{0}), whole(int64_t{1});
  for (int64_t s = 0; s < parts_h; ++s) {
    Position<Int> row, column;
    if (!rows.PositionOfPoint(height, s, d[2], x.shape()[2], &row)) continue;
    for (int64_t t = 0; t < parts_w; ++t) {
      if (!columns.PositionOfPoint(width, t, d[3], x.shape()[3], &column)) continue;
      const int64_t channel = (s * parts_w + t) * c.results[0].shape()[1] + d[1];
      sum = Int(sum + BilinearSum<Int>(row, column, [&](int64_t h, int64_t v) {
                  return x[Flatten({n, channel, h, v}, x.shape())];
                }));
      whole = Int(row.whole * column.whole);
    }
  }
  return RoundedQuotient<Int>(sum, Int(whole * Int(parts_h * parts_w)), attrs.result_fraction);
}

}  // namespace

template <typename Int>
void ReferencePsroiPool(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<PsroiPoolAttrs>();
  const Result<Int>& y = c.results[0];
  for (const int64_t o : c.elements()) {
    const Index d = Unflatten(o, y.shape());
    const int64_t n = ClampedIndex<Int>(c.operands[2][d[0]], c.operands[0].shape()[0] - 1);
    y.Set(o,
          attrs.mode == PsroiMode::kAverage ? AverageOfBin(c, attrs, n, d) : AverageOfParts(c, attrs, n, d));
  }
}

TALLY_REFERENCE(PsroiPool);

}  // namespace tally
