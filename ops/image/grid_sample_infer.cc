#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/common/sampling_bounds.h"
#include "ops/image/attrs.h"
#include "ops/image/labels.h"
#include "ops/image/rules.h"
#include "ops/infer.h"

namespace tally {
namespace {

int64_t TapsOf(GridSampleMode mode) {
  return mode == GridSampleMode::kNearest ? 1 : mode == GridSampleMode::kBilinear ? 4 : 16;
}

// Along an axis the cubic weights of a = -3/4 are at most 3/16 below and 19/16 above zero, both halfway
// between pixels, and sum to 1. So over two axes at most 2 * 3/16 * 19/16 = 57/128 is negative, and all
// magnitudes together are at most (22/16)^2 = 242/128.
QuotientBounds CubicBounds(const WideInterval& x, Int128 divisor, int64_t fraction) {
  const WideInterval overshoot(-57 * (x.hi - x.lo), 57 * (x.hi - x.lo));
  const Int128 partial = SatMul(242, x.Magnitude());
  return {.value = x * WideInterval(128, 128) + overshoot,
          .partial = {-partial, partial},
          .parts = 128,
          .divisor = divisor,
          .fraction = fraction};
}

}  // namespace

absl::Status InferGridSample(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<GridSampleAttrs>();
  const Shape &x = c.shape(0), &grid = c.shape(1);
  if (x.rank() != 4)
    return MakeError(label::grid_sample_c1, absl::StrCat(x.ToString(), " is not [N, C, H, W]"));
  if (grid.rank() != 4 || grid[0] != x[0] || grid[3] != 2) {
    return MakeError(label::grid_sample_c2,
                     absl::StrCat("grid ", grid.ToString(), " is not [", x[0], ", P, Q, 2]"));
  }
  const Int128 unit = Int128{2} << attrs.fraction;  // a position's
  const Int128 reach = SatAdd(WideInterval(c.interval(1)).Magnitude(), unit);
  RETURN_IF_ERROR(CheckPositions(SatMul(reach, std::max(x[2], x[3]) + 1), label::grid_sample_c3));
  const bool zeros = attrs.padding == GridPadding::kZeros;
  const WideInterval value = zeros ? WideInterval(c.interval(0)).Hull({0, 0}) : WideInterval(c.interval(0));
  QuotientBounds bounds = MeanOf(value, 1, attrs.result_fraction);
  if (attrs.mode == GridSampleMode::kBilinear) bounds.divisor = SatMul(unit, unit);
  if (attrs.mode == GridSampleMode::kCubic) {
    const Int128 cube = SatMul(4, SatMul(unit, SatMul(unit, unit)));
    bounds = CubicBounds(value, SatMul(cube, cube), attrs.result_fraction);
  }
  return AddQuotient(c, {x[0], x[1], grid[1], grid[2]}, bounds, label::grid_sample_c4, out);
}

WideGas GasGridSample(const GasContext& c) {
  const int64_t taps = TapsOf(c.attrs<GridSampleAttrs>().mode);
  const WideGas samples = SatMul(c.elements_out(0), 48 * taps + 272);
  return SatAdd(512, SatAdd(samples, SatMul(8 * taps + 88, PointsOf(c.results[0].shape))));
}

}  // namespace tally
