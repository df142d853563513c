#include "base/status_macros.h"
#include "ops/infer.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/labels.h"
#include "ops/pooling/roi_bounds.h"
#include "ops/pooling/rules.h"

namespace tally {

absl::Status InferRoiMaxPool(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<RoiAttrs>();
  RETURN_IF_ERROR(CheckRegions(c, label::roi_max_pool_c1, label::roi_max_pool_c2));
  // Ends are at most the scaled region plus a half, a side twice that plus one, and a bin's end start + side,
  // times the bins.
  const Int128 unit = Int128{1} << (attrs.fraction + attrs.shift);
  const Int128 reach = SatAdd(SatMul(ScaledRegion(c.interval(1), attrs), 3), SatMul(unit, 3));
  const int64_t bins = std::max(attrs.pooled_size[0], attrs.pooled_size[1]);
  RETURN_IF_ERROR(CheckPositions(SatMul(reach, bins), label::roi_max_pool_c3));
  ASSIGN_OR_RETURN(const Shape shape,
                   Shape::Create({c.shape(1)[0], c.shape(0)[1], attrs.pooled_size[0], attrs.pooled_size[1]}));
  return out->AddResult(c, shape, c.interval(0).Hull({0, 0}));
}

WideGas GasRoiMaxPool(const GasContext& c) {
  const Shape &x = c.operands[0].shape, &y = c.results[0].shape;
  const WideGas points = SatAdd(512, SatMul(64, PointsOf(y)));
  return SatAdd(points, SatAdd(SatMul(20, SatMul(SatMul(y[0], y[1]), PixelsOfBins(x, c.attrs<RoiAttrs>()))),
                               SatMul(208, c.elements_out(0))));
}

}  // namespace tally
