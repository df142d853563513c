// The taps that a result over a region gathers, for the kernels of every engine.
//
//   GatherMaximum(bin, multiplier, fraction, samples);
//
// `samples` is of all channels of that result at once (ops/cpu/sampled_channels.h):
//   Add(h, v, channel, weight)   weight * pixel (h, v) of a channel of x and of those that follow it
//   EndSample()                  what was added since the last is one sample
//   Finish(divisor, fraction)    y = round(gathered * 2^fraction / divisor)
//   FinishZero()                 y = 0
#pragma once

#include "ops/pooling/roi_samples.h"

namespace tally::pooling {

// Bin `place` of `bins` of a region on `size` pixels, along H and along W.
struct RegionBin {
  RoiEnds<int64_t> height, width;
  int64_t place[2], bins[2], size[2];

  constexpr const RoiEnds<int64_t>& ends(int i) const { return i == 0 ? height : width; }
};

// The sample between pixels at a position, `channel` being that of the result's channel 0.
template <typename Samples>
constexpr void AddSample(const Position<int64_t>& row, const Position<int64_t>& column, int64_t channel,
                         Samples& samples) {
  VisitWeights(row, column,
               [&](int64_t weight, int64_t h, int64_t v) { samples.Add(h, v, channel, weight); });
}

template <typename Samples>
constexpr void AddPixels(const Bin& rows, const Bin& columns, int64_t channel, Samples& samples) {
  for (int64_t h = rows.first; h < rows.end; ++h) {
    for (int64_t v = columns.first; v < columns.end; ++v) samples.Add(h, v, channel, 1);
  }
}

// roi_max_pool, whose samples keep the greatest tap.
template <typename Samples>
constexpr void GatherMaximum(const RegionBin& b, int64_t multiplier, int64_t fraction, Samples& samples) {
  const auto along = [&](int i) {
    return MaxPoolBin<int64_t>(b.ends(i), multiplier, fraction, b.place[i], b.bins[i], b.size[i]);
  };
  const Bin rows = along(0), columns = along(1);
  if (rows.size() * columns.size() == 0) return samples.FinishZero();
  AddPixels(rows, columns, 0, samples);
  samples.Finish(1, 0);
}

// roi_align. `averages`: the sum of samples is divided by their number.
template <typename Samples>
constexpr void GatherAligned(const RegionBin& b, const RoiAlignScale& scale, bool averages, int64_t fraction,
                             Samples& samples) {
  const AlignedBins<int64_t> rows(scale, b.height, b.bins[0], b.size[0]),
      columns(scale, b.width, b.bins[1], b.size[1]);
  if (rows.samples <= 0 || columns.samples <= 0) return samples.FinishZero();
  for (int64_t i = 0; i < rows.samples; ++i) {
    Position<int64_t> row = {}, column = {};
    const bool row_inside = rows.PositionOfSample(b.place[0], i, &row);
    for (int64_t j = 0; j < columns.samples; ++j) {
      if (row_inside && columns.PositionOfSample(b.place[1], j, &column)) {
        AddSample(row, column, 0, samples);
      } else {
        samples.Add(0, 0, 0, 0);
      }
      samples.EndSample();
    }
  }
  const int64_t taps = rows.whole() * columns.whole();
  samples.Finish(averages ? taps * rows.samples * columns.samples : taps, fraction);
}

// psroi_pool in mode average. `channel`: that of the bin, for channel 0 of the result.
template <typename Samples>
constexpr void GatherAverage(const RegionBin& b, int64_t multiplier, int64_t fraction, int64_t shift,
                             int64_t channel, int64_t result_fraction, Samples& samples) {
  const auto along = [&](int i) {
    return AverageBin<int64_t>(b.ends(i), multiplier, fraction, shift, b.place[i], b.bins[i], b.size[i]);
  };
  const Bin rows = along(0), columns = along(1);
  const int64_t count = rows.size() * columns.size();
  if (count == 0) return samples.FinishZero();
  AddPixels(rows, columns, channel, samples);
  samples.Finish(count, result_fraction);
}

// psroi_pool in mode bilinear: each part of a region has `channels` channels of its own.
template <typename Samples>
constexpr void GatherParts(const RegionBin& b, const RegionParts& rows, const RegionParts& columns,
                           int64_t channels, int64_t result_fraction, Samples& samples) {
  int64_t whole = 1;
  for (int64_t s = 0; s < rows.parts; ++s) {
    Position<int64_t> row = {}, column = {};
    if (!rows.PositionOfPoint(b.height, s, b.place[0], b.size[0], &row)) continue;
    for (int64_t t = 0; t < columns.parts; ++t) {
      if (!columns.PositionOfPoint(b.width, t, b.place[1], b.size[1], &column)) continue;
      AddSample(row, column, (s * columns.parts + t) * channels, samples);
      whole = row.whole * column.whole;
    }
  }
  samples.Finish(whole * rows.parts * columns.parts, result_fraction);
}

// deformable_psroi_pool. `samples_of_bin` along H and W, and by how much offsets move them.
template <typename Samples>
constexpr void GatherMoved(const RegionBin& b, const MovedScale& scale, const int64_t (&samples_of_bin)[2],
                           const int64_t (&move)[2], int64_t channel, int64_t result_fraction,
                           Samples& samples) {
  const MovedBins<int64_t> rows(scale, b.height, b.bins[0], samples_of_bin[0]),
      columns(scale, b.width, b.bins[1], samples_of_bin[1]);
  int64_t count = 0;
  for (int64_t i = 0; i < rows.samples; ++i) {
    Position<int64_t> row = {}, column = {};
    if (!rows.PositionOfSample(b.place[0], i, move[0], b.size[0], &row)) continue;
    for (int64_t j = 0; j < columns.samples; ++j) {
      if (!columns.PositionOfSample(b.place[1], j, move[1], b.size[1], &column)) continue;
      AddSample(row, column, channel, samples);
      ++count;
    }
  }
  samples.Finish((int64_t{1} << (2 * scale.position_fraction)) * std::max<int64_t>(count, 1),
                 result_fraction);
}

}  // namespace tally::pooling
