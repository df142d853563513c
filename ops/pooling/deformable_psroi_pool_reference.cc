#include "ops/indexing.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/roi.h"
#include "ops/reference.h"

namespace tally {
namespace {

using Attrs = DeformablePsroiPoolAttrs;

// A region along axis i, over `unit`: a tenth of half of 2^-shift pixels, so that half a pixel and the least side of
// a tenth of a pixel are integers.
template <typename Int>
struct Axis {
  Axis(const Attrs& attrs, const RoiEnds<Int>& ends, int i)
      : unit(int64_t{20} << attrs.shift), bins(attrs.pooled_size[i]), samples(attrs.spatial_bins[i]) {
    const Int pixel(attrs.multiplier * 20);
    const Int first = NearestAway<Int>(ends.first, attrs.fraction);
    const Int end(NearestAway<Int>(ends.last, attrs.fraction) + Int(int64_t{1}));
    start = Int(first * pixel - Int(unit / 2));
    side = Int(Int(end - first) * pixel);
    if (side < Int(unit / 10)) side = Int(unit / 10);
  }

  // Sample s of bin p, moved by `offset` sides over 2^offset_fraction, at the nearest position of position_fraction
  // bits. False when it lies more than half a pixel outside; what lies less outside moves to the border.
  bool PositionOfSample(const Attrs& attrs, int64_t p, int64_t s, const Int& offset, int64_t n,
                        Position<Int>* position) const {
    const Int one(int64_t{1} << attrs.offset_fraction), parts(bins * samples);
    const Int whole(Int(unit) * parts * one);
    const Int place(Int(p * samples + s) * one + offset * parts);
    const Int point(start * parts * one + side * place);
    const Int doubled(point * Int(int64_t{2}));
    if (doubled < Int(Int(int64_t{-1}) * whole) || doubled > Int(whole * Int(2 * n - 1))) return false;
    const Int inside = Clamped<Int>(point, Int(int64_t{0}), Int(whole * Int(n - 1)));
    const Int rounded = RoundedQuotient<Int>(inside, whole, attrs.position_fraction);
    *position = PositionOf<Int>(rounded, Int(int64_t{1} << attrs.position_fraction));
    return true;
  }

  int64_t unit;
  int64_t bins;
  int64_t samples;
  Int start;
  Int side;
};

}  // namespace

// y[r, c, p, q] = the mean of x[batch[r], (c * PH + p) * PW + q] at the samples of bin (p, q) that lie inside, or 0
// when none does. Offsets [r, 2 * class + {0: x, 1: y}, p * parts / PH, q * parts / PW] move a bin.
template <typename Int>
void ReferenceDeformablePsroiPool(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<Attrs>();
  const Operand<Int>&x = c.operands[0], &rois = c.operands[1], &batch = c.operands[2];
  const Result<Int>& y = c.results[0];
  const int64_t PH = attrs.pooled_size[0], PW = attrs.pooled_size[1], H = x.shape()[2], W = x.shape()[3];
  for (int64_t o = 0; o < y.size(); ++o) {
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
    const Axis<Int> rows(attrs, RoiEnds<Int>(rois, d[0], 0), 0),
        columns(attrs, RoiEnds<Int>(rois, d[0], 1), 1);
    Int sum(int64_t{0});
    int64_t count = 0;
    for (int64_t i = 0; i < attrs.spatial_bins[0]; ++i) {
      Position<Int> row, column;
      if (!rows.PositionOfSample(attrs, d[2], i, move[0], H, &row)) continue;
      for (int64_t j = 0; j < attrs.spatial_bins[1]; ++j) {
        if (!columns.PositionOfSample(attrs, d[3], j, move[1], W, &column)) continue;
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
