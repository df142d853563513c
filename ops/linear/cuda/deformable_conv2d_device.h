// Deformable convolutions for devices: an implicit product of matrices, whose left side blocks sample as they
// need it.
#pragma once

#include "base/rescale.h"
#include "ops/cuda/elements.h"
#include "ops/cuda/loops.h"
#include "ops/linear/deformable_tap.h"

namespace tally::cuda {

struct DeformableParams {
  int64_t pixels;                  // for the results of all images
  int64_t pixel_tiles, out_tiles;  // blocks: along pixels, along the channels of a group; groups follow
  int64_t out[2], size[2];         // for y and for x, along H and along W
  int64_t kernel[2], padding[2], stride[2], dilation[2];
  int64_t depth;                       // channels of a group times taps
  int64_t group_channels, group_outs;  // for x and for y
  int64_t offset_group_channels;       // x's
  int64_t one;                         // for the offsets
  bool zero_samples, has_mask;
  int shift;
  int64_t x_strides[4], w_strides[4], offset_strides[4], mask_strides[4], y_strides[4];
  Storage x, w, offset, mask, y;
};

// A block computes kPixels x kOuts results in steps of kDepth taps; each of its threads 4 x 4 of them.
struct DeformableTile {
  static constexpr int kPixels = 64, kOuts = 64, kDepth = 16, kThreads = 256;
  static constexpr int kRow = 65;  // elements between rows of weights, which threads write by columns
  static constexpr int SharedBytes(int element_bytes) { return kDepth * (kPixels + kRow) * element_bytes; }
};

struct DeformablePixel {
  int64_t n, p, q;
};
TALLY_DEVICE DeformablePixel PixelAt(const DeformableParams& p, int64_t pixel) {
  DeformablePixel at;
  at.q = TakeDigit(pixel, p.out[1]);
  at.p = TakeDigit(pixel, p.out[0]);
  at.n = pixel;
  return at;
}

// Tap k of a group at a pixel: mask * x between pixels.
TALLY_DEVICE int64_t TapAt(const Memory& m, const DeformableParams& p, const DeformablePixel& at,
                           int64_t group, int64_t k) {
  const int64_t kj = TakeDigit(k, p.kernel[1]), ki = TakeDigit(k, p.kernel[0]);
  const int64_t channel = group * p.group_channels + k;
  const int64_t tap = (channel / p.offset_group_channels * p.kernel[0] + ki) * p.kernel[1] + kj;
  const int64_t offset = at.n * p.offset_strides[0] + 2 * tap * p.offset_strides[1] +
                         at.p * p.offset_strides[2] + at.q * p.offset_strides[3];
  const int64_t h = at.p * p.stride[0] - p.padding[0] + ki * p.dilation[0],
                l = at.q * p.stride[1] - p.padding[1] + kj * p.dilation[1];
  const int64_t plane = at.n * p.x_strides[0] + channel * p.x_strides[1];
  const int64_t x =
      DeformableTap<int64_t>(h * p.one + Load(p.offset, m.at[2], offset),
                             l * p.one + Load(p.offset, m.at[2], offset + p.offset_strides[1]), p.one,
                             p.zero_samples, p.size[0], p.size[1], [&](int64_t a, int64_t b) {
                               return Load(p.x, m.at[0], plane + a * p.x_strides[2] + b * p.x_strides[3]);
                             });
  if (!p.has_mask) return x;
  return x * Load(p.mask, m.at[3],
                  at.n * p.mask_strides[0] + tap * p.mask_strides[1] + at.p * p.mask_strides[2] +
                      at.q * p.mask_strides[3]);
}

// Memory: x, the weights, the offsets, the mask, the result. T holds every tap and every weight; sums have 64
// bits.
template <typename T>
TALLY_DEVICE void DeformableConv2d(const Thread& t, const Memory& m, const DeformableParams& p) {
  using Tile = DeformableTile;
  constexpr int kSize = static_cast<int>(sizeof(T)), kWeights = Tile::kDepth * Tile::kPixels * kSize;
  int64_t group = t.block_x();
  const int64_t first_pixel = TakeDigit(group, p.pixel_tiles) * Tile::kPixels,
                first_out = TakeDigit(group, p.out_tiles) * Tile::kOuts;
  const int sampled = t.x() % Tile::kPixels;
  const DeformablePixel pixel = PixelAt(p, first_pixel + sampled);
  const bool exists = first_pixel + sampled < p.pixels;
  const int column = t.x() % 16, row = t.x() / 16 * 4;
  int64_t sums[4][4] = {};
  for (int64_t first = 0; first < p.depth; first += Tile::kDepth) {
    for (int k = t.x() / Tile::kPixels; k < Tile::kDepth; k += Tile::kThreads / Tile::kPixels) {
      const bool there = exists && first + k < p.depth;
      t.template StoreShared<T>((k * Tile::kPixels + sampled) * kSize,
                                static_cast<T>(there ? TapAt(m, p, pixel, group, first + k) : 0));
    }
    for (int i = t.x(); i < Tile::kDepth * Tile::kOuts; i += Tile::kThreads) {
      const int k = i % Tile::kDepth, o = i / Tile::kDepth;
      int64_t tap = first + k, weight = 0;
      if (tap < p.depth && first_out + o < p.group_outs) {
        const int64_t kj = TakeDigit(tap, p.kernel[1]), ki = TakeDigit(tap, p.kernel[0]);
        weight = Load(p.w, m.at[1],
                      (group * p.group_outs + first_out + o) * p.w_strides[0] + tap * p.w_strides[1] +
                          ki * p.w_strides[2] + kj * p.w_strides[3]);
      }
      t.template StoreShared<T>(kWeights + (k * Tile::kRow + o) * kSize, static_cast<T>(weight));
    }
    t.Barrier();
    if (first_out + row < p.group_outs) {
      for (int k = 0; k < Tile::kDepth; ++k) {
        T taps[4], weights[4];
        TALLY_UNROLL
        for (int i = 0; i < 4; ++i) {
          taps[i] = t.template LoadShared<T>((k * Tile::kPixels + column + i * 16) * kSize);
          weights[i] = t.template LoadShared<T>(kWeights + (k * Tile::kRow + row + i) * kSize);
        }
        TALLY_UNROLL
        for (int i = 0; i < 4; ++i) {
          TALLY_UNROLL
          for (int j = 0; j < 4; ++j) {
            sums[i][j] = WrapAdd(sums[i][j], WrapMul(int64_t{weights[i]}, int64_t{taps[j]}));
          }
        }
      }
    }
    t.Barrier();
  }
  TALLY_UNROLL
  for (int j = 0; j < 4; ++j) {
    const int64_t to = first_pixel + column + j * 16;
    if (to >= p.pixels) continue;
    const DeformablePixel at = PixelAt(p, to);
    TALLY_UNROLL
    for (int i = 0; i < 4; ++i) {
      if (first_out + row + i >= p.group_outs) continue;
      const int64_t out = group * p.group_outs + first_out + row + i;
      Store(p.y, m.at[4],
            at.n * p.y_strides[0] + out * p.y_strides[1] + at.p * p.y_strides[2] + at.q * p.y_strides[3],
            RoundShift<int64_t>(Rounding::kHalfUp, sums[i][j], p.shift, false));
    }
  }
}

}  // namespace tally::cuda
