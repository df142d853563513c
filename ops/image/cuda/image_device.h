// Crops, grids and separable filters for devices.
#pragma once

#include "ops/cuda/primitives/sampled_channels_device.h"
#include "ops/image/crop_grid.h"
#include "ops/image/grid_taps.h"

namespace tally::cuda {

struct CropResizeFn {
  static constexpr Gathering kGathering = Gathering::kSum;
  CropForm form;
  bool zero_outside;
  int64_t rows, columns, images;  // x's
  int64_t result_fraction;
  Storage boxes, batch;

  template <typename Samples>
  TALLY_DEVICE void operator()(const Memory& m, const Site& site, Samples& samples) const {
    const StoredList list = {boxes, m.at[2]};
    samples.Begin(ClampedIndex<int64_t>(Load(batch, m.at[3], site.at[0]), images - 1));
    const auto position =
        image::CropPositionOf<int64_t>(form, list, site.at[0], {site.at[1], site.at[2]}, {rows, columns});
    if (position.outside && zero_outside) return samples.FinishZero();
    const Position<int64_t>&row = position.along[0], &column = position.along[1];
    VisitWeights(row, column, [&](int64_t weight, int64_t h, int64_t v) { samples.Add(h, v, 0, weight); });
    samples.Finish(row.whole * column.whole, result_fraction);
  }
};

struct GridSampleFn {
  static constexpr Gathering kGathering = Gathering::kSum;
  GridForm form;
  int64_t rows, columns;  // x's
  int64_t result_fraction;
  int64_t strides[4];  // the grid's
  Storage grid;

  template <typename Samples>
  TALLY_DEVICE void operator()(const Memory& m, const Site& site, Samples& samples) const {
    const int64_t at = site.at[0] * strides[0] + site.at[1] * strides[1] + site.at[2] * strides[2];
    const int64_t v = GridNumerator<int64_t>(form, Load(grid, m.at[2], at + strides[3]), rows),
                  u = GridNumerator<int64_t>(form, Load(grid, m.at[2], at), columns);
    samples.Begin(site.at[0]);
    const int64_t divisor = VisitGridTaps<int64_t>(form, v, u, [&](int64_t weight, int64_t h, int64_t w) {
      const int64_t i = PixelOfTap(h, rows, form), j = PixelOfTap(w, columns, form);
      if (i >= 0 && j >= 0) samples.Add(i, j, 0, weight);
    });
    samples.Finish(divisor, result_fraction);
  }
};

// x as [outer, n, inner] in memory, y as [outer, m, inner].
struct ResampleParams {
  int64_t count, n, m, inner, taps;
  Storage x, index, weight, y;
};

// Memory: x, the indices, the weights, the result. One thread for each result.
TALLY_DEVICE void Resample(const Thread& t, const Memory& m, const ResampleParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  int64_t outer = i;
  const int64_t inner = TakeDigit(outer, p.inner), row = TakeDigit(outer, p.m);
  const int64_t first = outer * p.n * p.inner + inner;
  int64_t sum = 0;
  for (int64_t tap = row * p.taps; tap < (row + 1) * p.taps; ++tap) {
    const int64_t x = Load(p.x, m.at[0], first + Load(p.index, m.at[1], tap) * p.inner);
    sum = WrapAdd(sum, WrapMul(Load(p.weight, m.at[2], tap), x));
  }
  Store(p.y, m.at[3], i, sum);
}

}  // namespace tally::cuda
