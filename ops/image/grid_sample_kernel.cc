#include "ops/image/attrs.h"
#include "ops/image/grid_taps.h"
#include "ops/image/kernels.h"
#include "ops/image/sampled_channels.h"
#include "ops/simd/elements.h"

namespace tally {
namespace {

// Calls add(weight, row, column) for the taps of a position; what their sum is to be divided by.
template <typename Add>
int64_t VisitGridTaps(const GridSampleAttrs& attrs, int64_t v, int64_t u, Add add) {
  const int64_t whole = int64_t{2} << attrs.fraction;
  const auto row = PositionOf<int64_t>(v, whole), column = PositionOf<int64_t>(u, whole);
  switch (attrs.mode) {
    case GridSampleMode::kNearest: add(1, NearestPixel(attrs, v), NearestPixel(attrs, u)); return 1;
    case GridSampleMode::kBilinear: VisitWeights(row, column, add); return whole * whole;
    case GridSampleMode::kCubic: {
      const CubicWeights<int64_t> of_row(row), of_column(column);
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          add(of_row.of_tap[i] * of_column.of_tap[j], row.index + i - 1, column.index + j - 1);
        }
      }
      const int64_t cube = 4 * whole * whole * whole;
      return cube * cube;
    }
  }
  __builtin_unreachable();  // the decoder admits no other mode
}

}  // namespace

template <Isa isa, Layout layout>
void GridSampleKernel(const KernelCall& call) noexcept {
  const auto attrs = call.attrs<GridSampleAttrs>();
  const Elements grid(call.operands[1]);
  const Shape &x = call.operands[0].type->shape, &y = call.results[0].type->shape;
  const auto strides = StridesOf(call.operands[1].type->shape, layout);
  SampledChannels<isa, layout> samples(call, x[1], 1, call.scratch);
  const Share share = call.ShareOf(y[0] * y[2] * y[3]);
  for (int64_t item = share.begin; item < share.end; ++item) {
    const Index at = {item / (y[2] * y[3]), 0, item / y[3] % y[2], item % y[3]};
    const int64_t first = at[0] * strides[0] + at[2] * strides[1] + at[3] * strides[2];
    const int64_t v = GridNumerator<int64_t>(attrs, grid[first + strides[3]], x[2]),
                  u = GridNumerator<int64_t>(attrs, grid[first], x[3]);
    samples.Begin(at[0]);
    const int64_t divisor = VisitGridTaps(attrs, v, u, [&](int64_t weight, int64_t h, int64_t w) {
      const int64_t i = PixelOfTap(h, x[2], attrs), j = PixelOfTap(w, x[3], attrs);
      if (i >= 0 && j >= 0) samples.Add(i, j, 0, weight);
    });
    samples.Finish(at, divisor, attrs.result_fraction);
  }
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(GridSampleKernel);

}  // namespace tally
