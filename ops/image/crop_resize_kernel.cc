#include "ops/image/attrs.h"
#include "ops/image/bilinear.h"
#include "ops/image/crop_grid.h"
#include "ops/image/kernels.h"
#include "ops/image/sampled_channels.h"
#include "ops/simd/elements.h"
#include "ops/simd/kernel_attrs.h"

namespace tally {

int64_t ImageScratchBytes(const KernelFacts& facts) { return SampledBytes(facts.operands[0].shape[1]); }

template <Isa isa, Layout layout>
void CropResizeKernel(const KernelCall& call) noexcept {
  const auto attr = [&](auto member) { return AttrOf<CropResizeAttrs>(call, member); };
  const auto size = AttrList<CropResizeAttrs>(call, &CropResizeAttrs::size);
  const auto grid = attr(&CropResizeAttrs::grid);
  const auto form = attr(&CropResizeAttrs::boxes);
  const bool normalized = attr(&CropResizeAttrs::normalized);
  const bool zero_outside = attr(&CropResizeAttrs::zero_outside);
  const int64_t multiplier = attr(&CropResizeAttrs::multiplier);
  const int64_t fraction = attr(&CropResizeAttrs::result_fraction);
  const int64_t unit = CropUnit(attr(&CropResizeAttrs::fraction));
  const Elements boxes(call.operands[1]), batch(call.operands[2]);
  const Shape& x = call.operands[0].type->shape;
  SampledChannels<isa, layout> samples(call, x[1], 1, call.scratch);
  const Share share = call.ShareOf(call.operands[1].type->shape[0] * size[0] * size[1]);
  for (int64_t item = share.begin; item < share.end; ++item) {
    const Index at = {item / (size[0] * size[1]), 0, item / size[1] % size[0], item % size[1]};
    Position<int64_t> position[2];
    bool outside = false;
    for (int i = 0; i < 2; ++i) {
      const int64_t extent = x[2 + i] - 1, whole = unit * CropSteps(grid, size[i]);
      const auto span = SpanOf<int64_t>(form, multiplier * (normalized ? extent : 1), boxes, at[0], i);
      const int64_t point = CropPoint<int64_t>(grid, span.start, span.length, unit, at[2 + i], size[i]);
      const int64_t inside = std::clamp<int64_t>(point, 0, whole * extent);
      outside = outside || inside != point;
      position[i] = PositionOf<int64_t>(inside, whole);
    }
    if (outside && zero_outside) {
      samples.FinishZero(at);
      continue;
    }
    samples.Begin(ClampedIndex<int64_t>(batch[at[0]], x[0] - 1));
    VisitWeights(position[0], position[1],
                 [&](int64_t weight, int64_t h, int64_t v) { samples.Add(h, v, 0, weight); });
    samples.Finish(at, position[0].whole * position[1].whole, fraction);
  }
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(CropResizeKernel);

}  // namespace tally
