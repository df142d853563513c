// Depthwise convolution of signed bytes, channels last: a thread computes four neighbours along the width for
// four channels, out of words of four bytes. A product of one channel is the dp4a with a word of weights
// whose other bytes are zero.
#pragma once

#include "ops/cuda/gemm/direct_device.h"
#include "ops/cuda/gemm/epilogue_device.h"

namespace tally::cuda {

inline constexpr int kOutputsOfThread = 4, kChannelsOfWord = 4;

struct DepthwiseParams {
  ConvolutionGeometry geometry;  // for axes 1 and 2; x in bytes
  int64_t count;                 // threads
  int words, groups_of_width;    // for channels; for outputs along axis 2
  int64_t channels;
  uint32_t fill;  // four times the byte outside of x
  int64_t y_image, y_pixel, y_column;
  bool has_init;  // in GemmMemory::kInit, besides that of the columns
  Storage init_storage;
  Epilogue epilogue;
};

// Memory as GemmMemory says; weights: [kKernel * kKernel, words].
template <int kKernel, int kStride>
TALLY_DEVICE void Depthwise(const Thread& t, const Memory& m, const DepthwiseParams& p) {
  constexpr int kPositions = (kOutputsOfThread - 1) * kStride + kKernel;
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const ConvolutionGeometry& g = p.geometry;
  const int word = static_cast<int>(i % p.words);
  const int64_t group = i / p.words, line = group / p.groups_of_width, image = line / g.out[1];
  const int out_x = static_cast<int>(group - line * p.groups_of_width) * kOutputsOfThread,
            out_y = static_cast<int>(line - image * g.out[1]);
  const uint8_t* const x = m.at[GemmMemory::kX] + image * g.x_image + word * kChannelsOfWord;
  const uint32_t* weights = m.as<uint32_t>(GemmMemory::kWeights) + word;
  int32_t sums[kOutputsOfThread][kChannelsOfWord] = {};
  TALLY_UNROLL
  for (int ky = 0; ky < kKernel; ++ky) {
    const int at_y = out_y * kStride - g.pad[1] + ky;
    uint32_t words[kPositions];
    TALLY_UNROLL
    for (int k = 0; k < kPositions; ++k) {
      const int at_x = out_x * kStride - g.pad[2] + k;
      const bool inside = at_y >= 0 && at_y < g.size[1] && at_x >= 0 && at_x < g.size[2];
      words[k] =
          inside ? *reinterpret_cast<const uint32_t*>(x + at_y * g.x_axis[1] + at_x * g.x_axis[2]) : p.fill;
    }
    TALLY_UNROLL
    for (int kx = 0; kx < kKernel; ++kx, weights += p.words) {
      const uint32_t w = *weights;
      TALLY_UNROLL
      for (int c = 0; c < kChannelsOfWord; ++c) {
        TALLY_UNROLL
        for (int o = 0; o < kOutputsOfThread; ++o)
          t.Dot4(sums[o][c], words[o * kStride + kx], w & 0xffu << (8 * c));
      }
    }
  }

  const int64_t first_channel = int64_t{word} * kChannelsOfWord;
  const int64_t first =
      image * p.y_image + (int64_t{out_y} * g.out[2] + out_x) * p.y_pixel + first_channel * p.y_column;
  // Where y's channels are words too, a word is stored at once.
  const bool whole =
      p.epilogue.storage == Storage::kI8 && p.y_column == 1 && p.channels % kChannelsOfWord == 0;
  uint32_t results[kOutputsOfThread] = {};
  TALLY_UNROLL
  for (int c = 0; c < kChannelsOfWord; ++c) {
    if (first_channel + c >= p.channels) break;
    const Column column = m.as<Column>(GemmMemory::kColumns)[first_channel + c];
    uint32_t init = static_cast<uint32_t>(column.init);
    if (p.has_init) {
      init += static_cast<uint32_t>(Load(p.init_storage, m.at[GemmMemory::kInit], first_channel + c));
    }
    TALLY_UNROLL
    for (int o = 0; o < kOutputsOfThread; ++o) {
      if (out_x + o >= g.out[2]) break;
      const int64_t place = first + o * p.y_pixel + c * p.y_column;
      const auto sum = static_cast<int32_t>(static_cast<uint32_t>(sums[o][c]) + init);
      const int64_t y = EpilogueValue(p.epilogue, m, column, sum, place);
      if (whole) {
        results[o] |= static_cast<uint32_t>(y & 0xff) << (8 * c);
      } else {
        Store(p.epilogue.storage, m.at[GemmMemory::kY], place, y);
      }
    }
  }
  TALLY_UNROLL
  for (int o = 0; o < kOutputsOfThread; ++o) {
    if (!whole || out_x + o >= g.out[2]) break;
    *reinterpret_cast<uint32_t*>(m.at[GemmMemory::kY] + first + o * p.y_pixel) = results[o];
  }
}

}  // namespace tally::cuda
