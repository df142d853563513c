#include "ops/cpu/elements.h"
#include "ops/cpu/sampled_channels.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/cpu/kernel_tables.h"
#include "ops/pooling/roi_gather.h"

namespace tally {
namespace {

using pooling::GatherAligned;
using pooling::GatherAverage;
using pooling::GatherMaximum;
using pooling::GatherMoved;
using pooling::GatherParts;
using pooling::MovedScale;
using pooling::RegionBin;
using pooling::RegionParts;
using pooling::RoiAlignScale;

// Calls visit({r, 0, p, q}, the bin, image of region r) for the bins of this part.
template <typename Visit>
void ForEachBin(const KernelCall& call, Visit visit) {
  const Elements rois(call.operands[1]), batch(call.operands[2]);
  const Shape &x = call.operands[0].type->shape, &y = call.results[0].type->shape;
  const Share share = call.ShareOf(y[0] * y[2] * y[3]);
  for (int64_t item = share.begin; item < share.end; ++item) {
    const Index at = {item / (y[2] * y[3]), 0, item / y[3] % y[2], item % y[3]};
    const RegionBin bin = {.height = {rois, at[0], 0},
                           .width = {rois, at[0], 1},
                           .place = {at[2], at[3]},
                           .bins = {y[2], y[3]},
                           .size = {x[2], x[3]}};
    visit(at, bin, ClampedIndex<int64_t>(batch[at[0]], x[0] - 1));
  }
}

template <Isa isa, Layout layout>
void RoiMaxPool(const RoiAttrs& attrs, const KernelCall& call) noexcept {
  SampledChannels<isa, layout> samples(call, call.results[0].type->shape[1], 1, call.scratch,
                                       Gathering::kGreatestTap);
  ForEachBin(call, [&](const Index& at, const RegionBin& bin, int64_t image) {
    samples.Begin(image, at);
    GatherMaximum(bin, attrs.multiplier, attrs.fraction + attrs.shift, samples);
  });
}

template <Isa isa, Layout layout>
void RoiAlign(const RoiAlignAttrs& attrs, const KernelCall& call) noexcept {
  const RoiAlignMode mode = attrs.mode;
  const RoiAlignScale scale = {attrs.multiplier, attrs.fraction + attrs.shift, attrs.half_pixel,
                               attrs.sampling_ratio};
  const Gathering gathering = mode == RoiAlignMode::kAverage ? Gathering::kSum
                              : mode == RoiAlignMode::kMax   ? Gathering::kGreatestSum
                                                             : Gathering::kGreatestTap;
  SampledChannels<isa, layout> samples(call, call.results[0].type->shape[1], 1, call.scratch, gathering);
  ForEachBin(call, [&](const Index& at, const RegionBin& bin, int64_t image) {
    samples.Begin(image, at);
    GatherAligned(bin, scale, mode == RoiAlignMode::kAverage, attrs.result_fraction, samples);
  });
}

// In mode average a channel of the result has one of x for each bin.
template <Isa isa, Layout layout>
void PsroiPool(const PsroiPoolAttrs& attrs, const KernelCall& call) noexcept {
  const Shape& y = call.results[0].type->shape;
  const bool averages = attrs.mode == PsroiMode::kAverage;
  const int64_t fraction = attrs.fraction + attrs.shift;
  const RegionParts rows = {attrs.multiplier, fraction, y[2], attrs.spatial_bins[0]},
                    columns = {attrs.multiplier, fraction, y[3], attrs.spatial_bins[1]};
  SampledChannels<isa, layout> samples(call, y[1], averages ? y[2] * y[3] : 1, call.scratch);
  ForEachBin(call, [&](const Index& at, const RegionBin& bin, int64_t image) {
    samples.Begin(image, at);
    if (averages) {
      GatherAverage(bin, attrs.multiplier, attrs.fraction, attrs.shift, at[2] * y[3] + at[3],
                    attrs.result_fraction, samples);
    } else {
      GatherParts(bin, rows, columns, y[1], attrs.result_fraction, samples);
    }
  });
}

// Classes of channels have offsets of their own, which move their bins apart.
template <Isa isa, Layout layout>
void DeformablePsroiPool(const DeformablePsroiPoolAttrs& attrs, const KernelCall& call) noexcept {
  const MovedScale scale = {attrs.multiplier, attrs.fraction, attrs.shift, attrs.offset_fraction,
                            attrs.position_fraction};
  const std::vector<int64_t>& spatial = attrs.spatial_bins;
  const Shape& y = call.results[0].type->shape;
  const bool moves = call.operands.size() == 4;
  const Shape& offsets = moves ? call.operands[3].type->shape : y;
  const auto strides = StridesOf(offsets, layout);
  const int64_t classes = moves ? offsets[1] / 2 : 1, channels = y[1] / classes;
  SampledChannels<isa, layout> samples(call, channels, y[2] * y[3], call.scratch);
  const auto offset_of = [&](const Index& at, int64_t cls, int axis) {
    if (!moves) return int64_t{0};
    const int64_t place = at[0] * strides[0] + (2 * cls + 1 - axis) * strides[1] +
                          at[2] * offsets[2] / y[2] * strides[2] + at[3] * offsets[3] / y[3] * strides[3];
    return Elements(call.operands[3])[place] * attrs.offset_multiplier;
  };
  ForEachBin(call, [&](const Index& at, const RegionBin& bin, int64_t image) {
    for (int64_t cls = 0; cls < classes; ++cls) {
      samples.Begin(image, {at[0], cls * channels, at[2], at[3]});
      GatherMoved(bin, scale, {spatial[0], spatial[1]}, {offset_of(at, cls, 0), offset_of(at, cls, 1)},
                  (cls * channels * y[2] + at[2]) * y[3] + at[3], attrs.result_fraction, samples);
    }
  });
}

constexpr auto kRegionKernels = JoinKernels(
    EveryIsaAndLayout<"roi_max_pool">(
        {.op = Opcode::kRoiMaxPool},
        []<Isa isa, Layout layout>() { return kKernel<PrepareSampled<RoiAttrs>, RoiMaxPool<isa, layout>>; }),
    EveryIsaAndLayout<"roi_align">({.op = Opcode::kRoiAlign},
                                   []<Isa isa, Layout layout>() {
                                     return kKernel<PrepareSampled<RoiAlignAttrs>, RoiAlign<isa, layout>>;
                                   }),
    EveryIsaAndLayout<"psroi_pool">({.op = Opcode::kPsroiPool},
                                    []<Isa isa, Layout layout>() {
                                      return kKernel<PrepareSampled<PsroiPoolAttrs>, PsroiPool<isa, layout>>;
                                    }),
    EveryIsaAndLayout<"deformable_psroi_pool">(
        {.op = Opcode::kDeformablePsroiPool}, []<Isa isa, Layout layout>() {
          return kKernel<PrepareSampled<DeformablePsroiPoolAttrs>, DeformablePsroiPool<isa, layout>>;
        }));

}  // namespace

KernelTable RegionKernels() { return kRegionKernels; }

}  // namespace tally
