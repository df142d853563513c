#include "ops/cpu/elements.h"
#include "ops/cpu/sampled_channels.h"
#include "ops/image/attrs.h"
#include "ops/image/cpu/kernel_tables.h"
#include "ops/image/grid_taps.h"

namespace tally {
namespace {

template <Isa isa, Layout layout>
void GridSample(const GridSampleAttrs& attrs, const KernelCall& call) noexcept {
  const GridForm form = attrs.form();
  const Elements grid(call.operands[1]);
  const Shape &x = call.operands[0].type->shape, &y = call.results[0].type->shape;
  const auto strides = StridesOf(call.operands[1].type->shape, layout);
  SampledChannels<isa, layout> samples(call, x[1], 1, call.scratch);
  const Share share = call.ShareOf(y[0] * y[2] * y[3]);
  for (int64_t item = share.begin; item < share.end; ++item) {
    const Index at = {item / (y[2] * y[3]), 0, item / y[3] % y[2], item % y[3]};
    const int64_t first = at[0] * strides[0] + at[2] * strides[1] + at[3] * strides[2];
    const int64_t v = GridNumerator<int64_t>(form, grid[first + strides[3]], x[2]),
                  u = GridNumerator<int64_t>(form, grid[first], x[3]);
    samples.Begin(at[0], at);
    const int64_t divisor = VisitGridTaps<int64_t>(form, v, u, [&](int64_t weight, int64_t h, int64_t w) {
      const int64_t i = PixelOfTap(h, x[2], form), j = PixelOfTap(w, x[3], form);
      if (i >= 0 && j >= 0) samples.Add(i, j, 0, weight);
    });
    samples.Finish(divisor, attrs.result_fraction);
  }
}

constexpr auto kGridSampleKernels =
    EveryIsaAndLayout<"grid_sample">({.op = Opcode::kGridSample}, []<Isa isa, Layout layout>() {
      return kKernel<PrepareSampled<GridSampleAttrs>, GridSample<isa, layout>>;
    });

}  // namespace

KernelTable GridSampleKernels() { return kGridSampleKernels; }

}  // namespace tally
