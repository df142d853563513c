#include "ops/cuda/primitives/sampled_channels.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/cuda/kernel_tables.h"
#include "ops/pooling/cuda/roi_device.h"

namespace tally::cuda {
namespace {

using pooling::RegionParts;

Regions RegionsOf(const KernelFacts& facts) {
  const Shape &x = facts.operands[0].shape, &y = facts.results[0].shape;
  return {.images = x[0],
          .bins = {y[2], y[3]},
          .size = {x[2], x[3]},
          .rois = facts.storages[1],
          .batch = facts.storages[2]};
}

// Parts of a pixel along an axis of roi_align, times the samples of a bin where they are averaged. Without a
// ratio each region has its own, and no two of them need be the same.
int64_t AlignedDivisor(const RoiAlignAttrs& attrs, int axis) {
  const int64_t whole =
      (int64_t{2} << (attrs.fraction + attrs.shift)) * 2 * attrs.pooled_size[axis] * attrs.sampling_ratio;
  return attrs.mode == RoiAlignMode::kAverage ? whole * attrs.sampling_ratio : whole;
}

template <Gathering kGathering>
Work AlignWork(KernelId kernel, const KernelFacts& facts) {
  const auto attrs = facts.attrs<RoiAlignAttrs>();
  const int64_t divisor = attrs.sampling_ratio == 0 ? 1 : AlignedDivisor(attrs, 0) * AlignedDivisor(attrs, 1);
  return SampleWork(kernel, facts, SampledShapeOf(facts, 1, 1, divisor, attrs.result_fraction),
                    RoiAlignFn<kGathering>{.regions = RegionsOf(facts),
                                           .scale = {attrs.multiplier, attrs.fraction + attrs.shift,
                                                     attrs.half_pixel, attrs.sampling_ratio},
                                           .fraction = attrs.result_fraction});
}

std::optional<Work> PrepareRoiMaxPool(const KernelFacts& facts) {
  const auto attrs = facts.attrs<RoiAttrs>();
  return SampleWork(KernelId::kRoiMaxPool, facts, SampledShapeOf(facts, 1, 1, 1, 0),
                    RoiMaxPoolFn{.regions = RegionsOf(facts),
                                 .multiplier = attrs.multiplier,
                                 .fraction = attrs.fraction + attrs.shift});
}

std::optional<Work> PrepareRoiAlign(const KernelFacts& facts) {
  switch (facts.attrs<RoiAlignAttrs>().mode) {
    case RoiAlignMode::kAverage: return AlignWork<Gathering::kSum>(KernelId::kRoiAlignAverage, facts);
    case RoiAlignMode::kMax: return AlignWork<Gathering::kGreatestSum>(KernelId::kRoiAlignMax, facts);
    case RoiAlignMode::kMaxTap: return AlignWork<Gathering::kGreatestTap>(KernelId::kRoiAlignMaxTap, facts);
  }
  __builtin_unreachable();  // the decoder admits no other mode
}

std::optional<Work> PreparePsroiPool(const KernelFacts& facts) {
  const auto attrs = facts.attrs<PsroiPoolAttrs>();
  const Shape& y = facts.results[0].shape;
  const bool averages = attrs.mode == PsroiMode::kAverage;
  int64_t divisor = 1;  // for averages: the pixels of a bin, whatever they are
  for (int i = 0; i < 2 && !averages; ++i) {
    const RegionParts parts = {attrs.multiplier, attrs.fraction + attrs.shift, y[2 + i],
                               attrs.spatial_bins[i]};
    divisor *= parts.whole() * parts.parts;
  }
  return SampleWork(KernelId::kPsroiPool, facts,
                    SampledShapeOf(facts, 1, averages ? y[2] * y[3] : 1, divisor, attrs.result_fraction),
                    PsroiPoolFn{.regions = RegionsOf(facts),
                                .averages = averages,
                                .multiplier = attrs.multiplier,
                                .fraction = attrs.fraction,
                                .shift = attrs.shift,
                                .parts = {attrs.spatial_bins[0], attrs.spatial_bins[1]},
                                .channels = y[1],
                                .result_fraction = attrs.result_fraction});
}

std::optional<Work> PrepareDeformablePsroiPool(const KernelFacts& facts) {
  const auto attrs = facts.attrs<DeformablePsroiPoolAttrs>();
  const Shape& y = facts.results[0].shape;
  const bool moves = facts.operands.size() == 4;
  const Shape& offsets = moves ? facts.operands[3].shape : y;
  const auto strides = StridesOf(offsets, facts.layout);
  const int64_t classes = moves ? offsets[1] / 2 : 1;
  // The divisor of a bin whose samples all are inside.
  const int64_t divisor =
      (int64_t{1} << (2 * attrs.position_fraction)) * attrs.spatial_bins[0] * attrs.spatial_bins[1];
  return SampleWork(KernelId::kDeformablePsroiPool, facts,
                    SampledShapeOf(facts, classes, y[2] * y[3], divisor, attrs.result_fraction),
                    DeformablePsroiPoolFn{.regions = RegionsOf(facts),
                                          .scale = {attrs.multiplier, attrs.fraction, attrs.shift,
                                                    attrs.offset_fraction, attrs.position_fraction},
                                          .samples_of_bin = {attrs.spatial_bins[0], attrs.spatial_bins[1]},
                                          .channels = y[1] / classes,
                                          .result_fraction = attrs.result_fraction,
                                          .moves = moves,
                                          .offset_multiplier = attrs.offset_multiplier,
                                          .parts = {offsets[2], offsets[3]},
                                          .strides = {strides[0], strides[1], strides[2], strides[3]},
                                          .offsets = facts.storages[moves ? 3 : 0]});
}

constexpr KernelEntry kRegionKernels[] = {
    {Opcode::kRoiMaxPool, "roi_max_pool", Arch::kSm80, Layouts::kEvery, PrepareRoiMaxPool},
    {Opcode::kRoiAlign, "roi_align", Arch::kSm80, Layouts::kEvery, PrepareRoiAlign},
    {Opcode::kPsroiPool, "psroi_pool", Arch::kSm80, Layouts::kEvery, PreparePsroiPool},
    {Opcode::kDeformablePsroiPool, "deformable_psroi_pool", Arch::kSm80, Layouts::kEvery,
     PrepareDeformablePsroiPool},
};

}  // namespace

KernelTable RegionKernels() { return kRegionKernels; }

}  // namespace tally::cuda
