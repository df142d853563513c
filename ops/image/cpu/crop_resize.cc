#include "ops/cpu/elements.h"
#include "ops/cpu/sampled_channels.h"
#include "ops/image/attrs.h"
#include "ops/image/cpu/kernel_tables.h"
#include "ops/image/crop_grid.h"

namespace tally {

namespace {

using image::CropPositionOf;

template <Isa isa, Layout layout>
void CropResize(const CropResizeAttrs& attrs, const KernelCall& call) noexcept {
  const CropForm form = attrs.form();
  const auto& size = form.size;
  const Elements boxes(call.operands[1]), batch(call.operands[2]);
  const Shape& x = call.operands[0].type->shape;
  const int64_t dims[] = {x[2], x[3]};
  SampledChannels<isa, layout> samples(call, x[1], 1, call.scratch);
  const Share share = call.ShareOf(call.operands[1].type->shape[0] * size[0] * size[1]);
  for (int64_t item = share.begin; item < share.end; ++item) {
    const Index at = {item / (size[0] * size[1]), 0, item / size[1] % size[0], item % size[1]};
    samples.Begin(ClampedIndex<int64_t>(batch[at[0]], x[0] - 1), at);
    const auto position = CropPositionOf<int64_t>(form, boxes, at[0], {at[2], at[3]}, dims);
    if (position.outside && attrs.zero_outside) {
      samples.FinishZero();
      continue;
    }
    const auto& [row, column] = position.along;
    VisitWeights(row, column, [&](int64_t weight, int64_t h, int64_t v) { samples.Add(h, v, 0, weight); });
    samples.Finish(row.whole * column.whole, attrs.result_fraction);
  }
}

constexpr auto kCropResizeKernels =
    EveryIsaAndLayout<"crop_resize">({.op = Opcode::kCropResize}, []<Isa isa, Layout layout>() {
      return kKernel<PrepareSampled<CropResizeAttrs>, CropResize<isa, layout>>;
    });

}  // namespace

KernelTable CropResizeKernels() { return kCropResizeKernels; }

}  // namespace tally
