// Pooling of regions of interest for devices.
#pragma once

#include "ops/cuda/primitives/sampled_channels_device.h"
#include "ops/pooling/roi_gather.h"

namespace tally::cuda {

// Shared by all operators over regions: x, the regions and their images.
struct Regions {
  int64_t images;
  int64_t bins[2], size[2];  // for a region and for x, along H and along W
  Storage rois, batch;

  TALLY_DEVICE pooling::RegionBin BinOf(const Memory& m, const Site& site) const {
    const StoredList list = {rois, m.at[2]};
    return {.height = {list, site.at[0], 0},
            .width = {list, site.at[0], 1},
            .place = {site.at[1], site.at[2]},
            .bins = {bins[0], bins[1]},
            .size = {size[0], size[1]}};
  }
  TALLY_DEVICE int64_t ImageOf(const Memory& m, const Site& site) const {
    return ClampedIndex<int64_t>(Load(batch, m.at[3], site.at[0]), images - 1);
  }
};

struct RoiMaxPoolFn {
  static constexpr Gathering kGathering = Gathering::kGreatestTap;
  Regions regions;
  int64_t multiplier, fraction;

  template <typename Samples>
  TALLY_DEVICE void operator()(const Memory& m, const Site& site, Samples& samples) const {
    samples.Begin(regions.ImageOf(m, site));
    pooling::GatherMaximum(regions.BinOf(m, site), multiplier, fraction, samples);
  }
};

template <Gathering kOfSamples>
struct RoiAlignFn {
  static constexpr Gathering kGathering = kOfSamples;
  Regions regions;
  pooling::RoiAlignScale scale;
  int64_t fraction;

  template <typename Samples>
  TALLY_DEVICE void operator()(const Memory& m, const Site& site, Samples& samples) const {
    samples.Begin(regions.ImageOf(m, site));
    pooling::GatherAligned(regions.BinOf(m, site), scale, kGathering == Gathering::kSum, fraction, samples);
  }
};

struct PsroiPoolFn {
  static constexpr Gathering kGathering = Gathering::kSum;
  Regions regions;
  bool averages;
  int64_t multiplier, fraction, shift;
  int64_t parts[2];  // not read where bins are averaged
  int64_t channels;  // the result's
  int64_t result_fraction;

  template <typename Samples>
  TALLY_DEVICE void operator()(const Memory& m, const Site& site, Samples& samples) const {
    const pooling::RegionBin bin = regions.BinOf(m, site);
    samples.Begin(regions.ImageOf(m, site));
    if (averages) {
      const int64_t channel = site.at[1] * regions.bins[1] + site.at[2];
      return pooling::GatherAverage(bin, multiplier, fraction, shift, channel, result_fraction, samples);
    }
    const auto along = [&](int i) {
      return pooling::RegionParts{multiplier, fraction + shift, regions.bins[i], parts[i]};
    };
    pooling::GatherParts(bin, along(0), along(1), channels, result_fraction, samples);
  }
};

// Groups of channels are classes, whose offsets move their bins.
struct DeformablePsroiPoolFn {
  static constexpr Gathering kGathering = Gathering::kSum;
  Regions regions;
  pooling::MovedScale scale;
  int64_t samples_of_bin[2];
  int64_t channels;  // for a class in the result
  int64_t result_fraction;
  bool moves;
  int64_t offset_multiplier;
  int64_t parts[2], strides[4];  // for the offsets
  Storage offsets;

  template <typename Samples>
  TALLY_DEVICE void operator()(const Memory& m, const Site& site, Samples& samples) const {
    const int64_t *bins = regions.bins, *at = site.at;
    const auto move_along = [&](int i) -> int64_t {
      if (!moves) return 0;
      const int64_t place = at[0] * strides[0] + (2 * site.group + 1 - i) * strides[1] +
                            at[1] * parts[0] / bins[0] * strides[2] + at[2] * parts[1] / bins[1] * strides[3];
      return Load(offsets, m.at[4], place) * offset_multiplier;
    };
    samples.Begin(regions.ImageOf(m, site));
    pooling::GatherMoved(regions.BinOf(m, site), scale, samples_of_bin, {move_along(0), move_along(1)},
                         (site.group * channels * bins[0] + at[1]) * bins[1] + at[2], result_fraction,
                         samples);
  }
};

}  // namespace tally::cuda
