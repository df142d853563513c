#include "ops/image/sampled_channels.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/kernels.h"
#include "ops/pooling/roi_samples.h"
#include "ops/simd/elements.h"
#include "ops/simd/kernel_attrs.h"
#include "ops/simd/strided_copy.h"

namespace tally {
namespace {

// Calls bin({r, 0, p, q}, image of region r) for the bins of this part.
template <typename Bins>
void ForEachBin(const KernelCall& call, Bins bin) {
  const Elements batch(call.operands[2]);
  const Shape& y = call.results[0].type->shape;
  const int64_t images = call.operands[0].type->shape[0];
  const Share share = call.ShareOf(y[0] * y[2] * y[3]);
  for (int64_t item = share.begin; item < share.end; ++item) {
    const Index at = {item / (y[2] * y[3]), 0, item / y[3] % y[2], item % y[3]};
    bin(at, ClampedIndex<int64_t>(batch[at[0]], images - 1));
  }
}

// Adds the sample between pixels at a position, `channel` being that of the result's channel 0.
template <typename Samples>
void AddSample(Samples& samples, const Position<int64_t>& row, const Position<int64_t>& column,
               int64_t channel) {
  VisitWeights(row, column,
               [&](int64_t weight, int64_t h, int64_t v) { samples.Add(h, v, channel, weight); });
}

template <typename Samples>
void AddPixels(Samples& samples, const Bin (&bins)[2], int64_t channel) {
  for (int64_t h = bins[0].first; h < bins[0].end; ++h) {
    for (int64_t v = bins[1].first; v < bins[1].end; ++v) samples.Add(h, v, channel, 1);
  }
}

}  // namespace

bool AcceptsRegions(const KernelFacts& facts) { return ConstantsAgree(facts); }

int64_t RegionsScratchBytes(const KernelFacts& facts) { return SampledBytes(facts.results[0].shape[1]); }

template <Isa isa, Layout layout>
void RoiMaxPoolKernel(const KernelCall& call) noexcept {
  const auto attr = [&](int64_t RoiAttrs::*member) { return AttrOf<RoiAttrs>(call, member); };
  const int64_t multiplier = attr(&RoiAttrs::multiplier);
  const int64_t shift = attr(&RoiAttrs::fraction) + attr(&RoiAttrs::shift);
  const Elements rois(call.operands[1]);
  const Shape &x = call.operands[0].type->shape, &y = call.results[0].type->shape;
  SampledChannels<isa, layout> samples(call, y[1], 1, call.scratch, Gathering::kGreatestTap);
  ForEachBin(call, [&](const Index& at, int64_t image) {
    Bin bins[2];
    for (int i = 0; i < 2; ++i) {
      bins[i] = MaxPoolBin<int64_t>(RoiEnds<int64_t>(rois, at[0], i), multiplier, shift, at[2 + i], y[2 + i],
                                    x[2 + i]);
    }
    if (bins[0].size() * bins[1].size() == 0) return samples.FinishZero(at);
    samples.Begin(image);
    AddPixels(samples, bins, 0);
    samples.Finish(at, 1, 0);
  });
}

template <Isa isa, Layout layout>
void RoiAlignKernel(const KernelCall& call) noexcept {
  const auto attr = [&](auto member) { return AttrOf<RoiAlignAttrs>(call, member); };
  const auto mode = attr(&RoiAlignAttrs::mode);
  const int64_t fraction = attr(&RoiAlignAttrs::result_fraction);
  const RoiAlignScale scale = {attr(&RoiAttrs::multiplier),
                               attr(&RoiAttrs::fraction) + attr(&RoiAttrs::shift),
                               attr(&RoiAlignAttrs::half_pixel), attr(&RoiAlignAttrs::sampling_ratio)};
  const Elements rois(call.operands[1]);
  const Shape &x = call.operands[0].type->shape, &y = call.results[0].type->shape;
  const Gathering gathering = mode == RoiAlignMode::kAverage ? Gathering::kSum
                              : mode == RoiAlignMode::kMax   ? Gathering::kGreatestSum
                                                             : Gathering::kGreatestTap;
  SampledChannels<isa, layout> samples(call, y[1], 1, call.scratch, gathering);
  ForEachBin(call, [&](const Index& at, int64_t image) {
    const AlignedBins<int64_t> rows(scale, RoiEnds<int64_t>(rois, at[0], 0), y[2], x[2]),
        columns(scale, RoiEnds<int64_t>(rois, at[0], 1), y[3], x[3]);
    const int64_t count = rows.samples * columns.samples;
    if (rows.samples <= 0 || columns.samples <= 0) return samples.FinishZero(at);
    samples.Begin(image);
    for (int64_t i = 0; i < rows.samples; ++i) {
      Position<int64_t> row, column;
      const bool row_inside = rows.PositionOfSample(at[2], i, &row);
      for (int64_t j = 0; j < columns.samples; ++j) {
        if (row_inside && columns.PositionOfSample(at[3], j, &column)) {
          AddSample(samples, row, column, 0);
        } else {
          samples.Add(0, 0, 0, 0);
        }
        samples.EndSample();
      }
    }
    const int64_t taps = rows.whole() * columns.whole();
    samples.Finish(at, mode == RoiAlignMode::kAverage ? taps * count : taps, fraction);
  });
}

namespace {

// A channel of the result has one of x for each bin.
template <Isa isa, Layout layout>
void AverageOfBins(const KernelCall& call, int64_t multiplier, int64_t fraction, int64_t shift,
                   int64_t result_fraction) {
  const Elements rois(call.operands[1]);
  const Shape &x = call.operands[0].type->shape, &y = call.results[0].type->shape;
  SampledChannels<isa, layout> samples(call, y[1], y[2] * y[3], call.scratch);
  ForEachBin(call, [&](const Index& at, int64_t image) {
    Bin bins[2];
    for (int i = 0; i < 2; ++i) {
      bins[i] = AverageBin<int64_t>(RoiEnds<int64_t>(rois, at[0], i), multiplier, fraction, shift, at[2 + i],
                                    y[2 + i], x[2 + i]);
    }
    const int64_t count = bins[0].size() * bins[1].size();
    if (count == 0) return samples.FinishZero(at);
    samples.Begin(image);
    AddPixels(samples, bins, at[2] * y[3] + at[3]);
    samples.Finish(at, count, result_fraction);
  });
}

// Each part of a region has channels of its own.
template <Isa isa, Layout layout>
void AverageOfParts(const KernelCall& call, const RegionParts& rows, const RegionParts& columns,
                    int64_t result_fraction) {
  const Elements rois(call.operands[1]);
  const Shape &x = call.operands[0].type->shape, &y = call.results[0].type->shape;
  SampledChannels<isa, layout> samples(call, y[1], 1, call.scratch);
  ForEachBin(call, [&](const Index& at, int64_t image) {
    const RoiEnds<int64_t> height(rois, at[0], 0), width(rois, at[0], 1);
    int64_t whole = 1;
    samples.Begin(image);
    for (int64_t s = 0; s < rows.parts; ++s) {
      Position<int64_t> row, column;
      if (!rows.PositionOfPoint(height, s, at[2], x[2], &row)) continue;
      for (int64_t t = 0; t < columns.parts; ++t) {
        if (!columns.PositionOfPoint(width, t, at[3], x[3], &column)) continue;
        AddSample(samples, row, column, (s * columns.parts + t) * y[1]);
        whole = row.whole * column.whole;
      }
    }
    samples.Finish(at, whole * rows.parts * columns.parts, result_fraction);
  });
}

}  // namespace

template <Isa isa, Layout layout>
void PsroiPoolKernel(const KernelCall& call) noexcept {
  const auto attr = [&](auto member) { return AttrOf<PsroiPoolAttrs>(call, member); };
  const auto parts = AttrList<PsroiPoolAttrs>(call, &PsroiPoolAttrs::spatial_bins);
  const Shape& y = call.results[0].type->shape;
  const int64_t multiplier = attr(&RoiAttrs::multiplier), fraction = attr(&RoiAttrs::fraction),
                shift = attr(&RoiAttrs::shift), result_fraction = attr(&PsroiPoolAttrs::result_fraction);
  if (attr(&PsroiPoolAttrs::mode) == PsroiMode::kAverage) {
    return AverageOfBins<isa, layout>(call, multiplier, fraction, shift, result_fraction);
  }
  AverageOfParts<isa, layout>(call, {multiplier, fraction + shift, y[2], parts[0]},
                              {multiplier, fraction + shift, y[3], parts[1]}, result_fraction);
}

// Classes of channels have offsets of their own, which move their bins apart.
template <Isa isa, Layout layout>
void DeformablePsroiPoolKernel(const KernelCall& call) noexcept {
  using A = DeformablePsroiPoolAttrs;
  const auto attr = [&](auto member) { return AttrOf<A>(call, member); };
  const auto spatial = AttrList<A>(call, &A::spatial_bins);
  const MovedScale scale = {attr(&RoiAttrs::multiplier), attr(&RoiAttrs::fraction), attr(&RoiAttrs::shift),
                            attr(&A::offset_fraction), attr(&A::position_fraction)};
  const int64_t offset_multiplier = attr(&A::offset_multiplier), fraction = attr(&A::result_fraction);
  const Elements rois(call.operands[1]);
  const Shape &x = call.operands[0].type->shape, &y = call.results[0].type->shape;
  const bool moves = call.operands.size() == 4;
  const Shape& offsets = moves ? call.operands[3].type->shape : y;
  const auto strides = StridesOf(offsets, layout);
  const int64_t classes = moves ? offsets[1] / 2 : 1, channels = y[1] / classes;
  SampledChannels<isa, layout> samples(call, channels, y[2] * y[3], call.scratch);
  const auto offset_of = [&](const Index& at, int64_t cls, int axis) {
    if (!moves) return int64_t{0};
    const int64_t place = at[0] * strides[0] + (2 * cls + 1 - axis) * strides[1] +
                          at[2] * offsets[2] / y[2] * strides[2] + at[3] * offsets[3] / y[3] * strides[3];
    return Elements(call.operands[3])[place] * offset_multiplier;
  };
  ForEachBin(call, [&](const Index& at, int64_t image) {
    const MovedBins<int64_t> rows(scale, RoiEnds<int64_t>(rois, at[0], 0), y[2], spatial[0]),
        columns(scale, RoiEnds<int64_t>(rois, at[0], 1), y[3], spatial[1]);
    for (int64_t cls = 0; cls < classes; ++cls) {
      const int64_t first = (cls * channels * y[2] + at[2]) * y[3] + at[3];
      int64_t count = 0;
      samples.Begin(image);
      for (int64_t i = 0; i < spatial[0]; ++i) {
        Position<int64_t> row, column;
        if (!rows.PositionOfSample(at[2], i, offset_of(at, cls, 0), x[2], &row)) continue;
        for (int64_t j = 0; j < spatial[1]; ++j) {
          if (!columns.PositionOfSample(at[3], j, offset_of(at, cls, 1), x[3], &column)) continue;
          AddSample(samples, row, column, first);
          ++count;
        }
      }
      const int64_t divisor = (int64_t{1} << (2 * scale.position_fraction)) * std::max<int64_t>(count, 1);
      samples.Finish({at[0], cls * channels, at[2], at[3]}, divisor, fraction);
    }
  });
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(RoiMaxPoolKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(RoiAlignKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(PsroiPoolKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(DeformablePsroiPoolKernel);

}  // namespace tally
