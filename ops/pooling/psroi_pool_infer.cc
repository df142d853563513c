#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/labels.h"
#include "ops/pooling/roi_bounds.h"
#include "ops/pooling/rules.h"

namespace tally {
namespace {

// The channels of x that make one of the result.
Int128 ChannelsOfGroup(const PsroiPoolAttrs& attrs) {
  const auto& parts = attrs.mode == PsroiMode::kAverage ? attrs.pooled_size : attrs.spatial_bins;
  return parts[0] * parts[1];
}

// The largest divisor of a result, and the proof of the positions along each axis.
absl::StatusOr<Int128> LargestDivisor(const InferContext& c, const PsroiPoolAttrs& attrs) {
  Int128 divisor = 1;
  for (int i = 0; i < 2; ++i) {
    const int64_t n = c.shape(0)[2 + i], bins = attrs.pooled_size[i];
    if (attrs.mode == PsroiMode::kAverage) {
      // A bin's end is at most start + side, and a side is at most twice an end.
      const Int128 reach = SatAdd(SatMul(RoundedRegion(c.interval(1), attrs), 3), Int128{1} << attrs.shift);
      RETURN_IF_ERROR(CheckPositions(SatMul(reach, bins), label::psroi_pool_c4));
      divisor = SatMul(divisor, n);
    } else {
      const Int128 steps = SatMul(attrs.spatial_bins[i], bins == 1 ? 2 : bins - 1);
      const Int128 unit = Int128{1} << (attrs.fraction + attrs.shift);
      const Int128 reach = SatMul(SatAdd(SatMul(ScaledRegion(c.interval(1), attrs), 3), unit), n);
      RETURN_IF_ERROR(CheckPositions(SatMul(reach, steps), label::psroi_pool_c4));
      divisor = SatMul(divisor, SatMul(SatMul(unit, steps), attrs.spatial_bins[i]));
    }
  }
  return divisor;
}

}  // namespace

absl::Status InferPsroiPool(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<PsroiPoolAttrs>();
  RETURN_IF_ERROR(CheckRegions(c, label::psroi_pool_c1, label::psroi_pool_c2));
  const int64_t channels = c.shape(0)[1];
  const Int128 group = ChannelsOfGroup(attrs);
  if (channels % group != 0) {
    return MakeError(label::psroi_pool_c3, absl::StrCat(channels, " channels are not a multiple of ",
                                                        ToString(group), " positions"));
  }
  ASSIGN_OR_RETURN(const Int128 divisor, LargestDivisor(c, attrs));
  const Dims dims = {c.shape(1)[0], static_cast<int64_t>(channels / group), attrs.pooled_size[0],
                     attrs.pooled_size[1]};
  const WideInterval value = WideInterval(c.interval(0)).Hull({0, 0});
  return AddQuotient(c, dims, MeanOf(value, divisor, attrs.result_fraction), label::psroi_pool_c5, out);
}

WideGas GasPsroiPool(const GasContext& c) {
  const auto attrs = c.attrs<PsroiPoolAttrs>();
  const Shape &x = c.operands[0].shape, &y = c.results[0].shape;
  const WideGas points = SatAdd(512, SatMul(160, PointsOf(y)));
  if (attrs.mode == PsroiMode::kAverage) {
    return SatAdd(points, SatAdd(SatMul(5, SatMul(SatMul(y[0], y[1]), PixelsOfBins(x, attrs))),
                                 SatMul(256, c.elements_out(0))));
  }
  return SatAdd(points,
                SatMul(c.elements_out(0),
                       SatAdd(SatMul(96, SatMul(attrs.spatial_bins[0], attrs.spatial_bins[1])), 144)));
}

}  // namespace tally
