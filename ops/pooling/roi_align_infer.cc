#include <algorithm>

#include "base/status_macros.h"
#include "ops/infer.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/labels.h"
#include "ops/pooling/roi_bounds.h"
#include "ops/pooling/rules.h"

namespace tally {
namespace {

// Half a unit of a scaled coordinate is the unit of a position.
Int128 Unit(const RoiAlignAttrs& attrs) { return Int128{2} << (attrs.fraction + attrs.shift); }

// The most samples of a bin along axis i. Without a fixed ratio there is one for every begun pixel of the
// bin, and a side is at most as long as the regions' interval is wide.
Int128 MostSamples(const RoiAlignAttrs& attrs, const Interval& rois, int i) {
  if (attrs.sampling_ratio > 0) return attrs.sampling_ratio;
  Int128 side = SatMul(SatMul(Int128{rois.hi} - rois.lo, attrs.multiplier), 2);
  if (!attrs.half_pixel) side = std::max(side, Unit(attrs));
  return std::max<Int128>(CeilDiv<Int128>(side, SatMul(Unit(attrs), attrs.pooled_size[i])), 1);
}

}  // namespace

absl::Status InferRoiAlign(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<RoiAlignAttrs>();
  RETURN_IF_ERROR(CheckRegions(c, label::roi_align_c1, label::roi_align_c2));
  Int128 divisor = 1;
  for (int i = 0; i < 2; ++i) {
    const Int128 samples = MostSamples(attrs, c.interval(1), i);
    const Int128 steps = SatMul(SatMul(2, attrs.pooled_size[i]), samples);  // a unit's
    // A start is at most 2 scaled coordinates and half a pixel, a side at most 4 or one pixel, and a position
    // at most start + side; the end of the axis is compared with it.
    const Int128 reach =
        SatAdd(SatMul(ScaledRegion(c.interval(1), attrs), 6), SatMul(Unit(attrs), c.shape(0)[2 + i] + 2));
    RETURN_IF_ERROR(CheckPositions(SatMul(reach, steps), label::roi_align_c3));
    divisor = SatMul(divisor, SatMul(SatMul(Unit(attrs), steps), samples));
  }
  const Dims dims = {c.shape(1)[0], c.shape(0)[1], attrs.pooled_size[0], attrs.pooled_size[1]};
  const WideInterval value = WideInterval(c.interval(0)).Hull({0, 0});
  return AddQuotient(c, dims, MeanOf(value, divisor, attrs.result_fraction), label::roi_align_c4, out);
}

WideGas GasRoiAlign(const GasContext& c) {
  const auto attrs = c.attrs<RoiAlignAttrs>();
  const Interval& rois = c.operands[1].interval;
  const Int128 samples = SatMul(MostSamples(attrs, rois, 0), MostSamples(attrs, rois, 1));
  const WideGas points = SatAdd(2048, SatMul(64, PointsOf(c.results[0].shape)));
  return SatAdd(points, SatMul(c.elements_out(0), SatAdd(SatMul(280, samples), 320)));
}

}  // namespace tally
