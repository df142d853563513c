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

absl::Status CheckOffsets(const InferContext& c, int64_t channels) {
  if (c.num_operands() == 3) return absl::OkStatus();
  const Shape& offsets = c.shape(3);
  if (offsets.rank() != 4 || offsets[0] != c.shape(1)[0] || offsets[1] % 2 != 0 ||
      channels % (offsets[1] / 2) != 0) {
    return MakeError(label::deformable_psroi_pool_c4,
                     absl::StrCat("offsets ", offsets.ToString(), " are not [", c.shape(1)[0],
                                  ", 2 * classes, parts, parts] for ", channels, " channels"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status InferDeformablePsroiPool(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<DeformablePsroiPoolAttrs>();
  RETURN_IF_ERROR(CheckRegions(c, label::deformable_psroi_pool_c1, label::deformable_psroi_pool_c2));
  const int64_t group = attrs.pooled_size[0] * attrs.pooled_size[1];
  if (c.shape(0)[1] % group != 0) {
    return MakeError(label::deformable_psroi_pool_c3,
                     absl::StrCat(c.shape(0)[1], " channels are not a multiple of ", group, " bins"));
  }
  const int64_t channels = c.shape(0)[1] / group;
  RETURN_IF_ERROR(CheckOffsets(c, channels));
  const Int128 offset =
      c.num_operands() == 3 ? 0 : SatMul(WideInterval(c.interval(3)).Magnitude(), attrs.offset_multiplier);
  const Int128 offset_unit = Int128{1} << attrs.offset_fraction;
  // Over `unit`, as the reference: an end is at most `end`, a side at most twice that, and a sample at most a
  // side and its offset away from the start.
  const Int128 unit = Int128{20} << attrs.shift;
  const Int128 end = SatAdd(SatMul(RoundedRegion(c.interval(1), attrs), 20), unit);
  for (int i = 0; i < 2; ++i) {
    const Int128 parts = attrs.pooled_size[i] * attrs.spatial_bins[i];
    const Int128 steps = SatMul(parts, offset_unit);
    const Int128 point =
        SatAdd(SatMul(end, steps), SatMul(SatMul(end, 2), SatAdd(SatMul(offset, parts), steps)));
    const Int128 axis = SatMul(SatMul(unit, c.shape(0)[2 + i]), steps);
    RETURN_IF_ERROR(
        CheckPositions(SatAdd(SatMul(point, 2), SatMul(axis, Int128{2} << attrs.position_fraction)),
                       label::deformable_psroi_pool_c5));
  }
  const Dims dims = {c.shape(1)[0], channels, attrs.pooled_size[0], attrs.pooled_size[1]};
  const Int128 whole = Int128{1} << (2 * attrs.position_fraction);
  const Int128 divisor = SatMul(whole, attrs.spatial_bins[0] * attrs.spatial_bins[1]);
  const WideInterval value = WideInterval(c.interval(0)).Hull({0, 0});
  return AddQuotient(c, dims, MeanOf(value, divisor, attrs.result_fraction), label::deformable_psroi_pool_c6,
                     out);
}

WideGas GasDeformablePsroiPool(const GasContext& c) {
  const auto attrs = c.attrs<DeformablePsroiPoolAttrs>();
  const WideGas of_element = SatAdd(SatMul(160, SatMul(attrs.spatial_bins[0], attrs.spatial_bins[1])), 544);
  return SatAdd(1024,
                SatAdd(SatMul(c.elements_out(0), of_element), SatMul(64, PointsOf(c.results[0].shape))));
}

}  // namespace tally
