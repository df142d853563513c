// Convolutions of 3 x 3 by Winograd's F(2 x 2, 3 x 3): sixteen products for each channel give a tile of four
// pixels, for which nine each would be 36.
//
//   Y = A^T [(G g G^T) . (B^T d B)] A        Lavin and Gray, Fast Algorithms for Convolutional Neural Networks,
//                                            2016, section 4.1
//
// In integers it is exact. G has halves, so twice G is used on either side: every sum is then four times the
// convolution's, which the last step shifts away. Sums wrap modulo 2^32, as all accumulators do; four times
// the true sum has to fit 32 bits. Points of x and of w fit 16 bits: 4 * 128 and 9 * 128 at most.
//
// Three steps for some tiles at a time: points of x; sixteen products of matrices, by a micro-kernel of 16
// bits; and sums of points, which are finished as those of any GEMM.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ops/cpu/gemm/gemm_plan.h"
#include "ops/cpu/gemm/micro_kernel.h"

namespace tally {

inline constexpr int kWinogradPoints = 16;
inline constexpr int kWinogradTile = 2;   // pixels along an axis
inline constexpr int kWinogradPatch = 4;  // elements that a tile reads along an axis

// Tiles first .. first + count - 1 of y, counted image by image and line by line. Those at the ends of odd
// sizes have pixels that are no part of y.
struct WinogradTiles {
  int64_t out_lines = 0, out_columns = 0;  // y's
  int64_t first = 0, count = 0;

  constexpr int64_t per_line() const { return (out_columns + 1) / 2; }
  constexpr int64_t per_image() const { return (out_lines + 1) / 2 * per_line(); }
};

struct WinogradInput {
  WinogradTiles tiles;
  const uint8_t* x = nullptr;  // signed bytes, channels last, padding included
  int64_t pixel_bytes = 0, line_bytes = 0, image_bytes = 0;
  int64_t depth = 0;          // channels, and more up to a multiple of kWinogradDepth
  int16_t* points = nullptr;  // [kWinogradPoints][plane of `point_tiles`][depth]
  int64_t point_tiles = 0;
};
// Channels after x's last read what follows, and meet weights of zero.
inline constexpr int64_t kWinogradDepth = 32;

struct WinogradOutput {
  WinogradTiles tiles;
  const int32_t* sums = nullptr;  // [kWinogradPoints][plane of `point_tiles`][sum_stride]
  int64_t point_tiles = 0, sum_stride = 0;
  const int32_t* init = nullptr;    // as in GemmArgs; null: 0
  const GemmArgs* store = nullptr;  // epilogue, y, residual, columns
};

struct WinogradKernel {
  std::string_view name;
  CpuFlags flags;
  void (*input)(const WinogradInput&) noexcept;
  void (*output)(const WinogradOutput&) noexcept;
};

std::span<const WinogradKernel> AllWinogradKernels();

// The kernel that is faster than `direct`, or nullptr. Where one instruction multiplies four bytes, none is.
// `takes_small_layers`: also where it is not faster, because there is little to do.
const WinogradKernel* FindWinogradKernel(const ConvolutionShape& shape, const MicroKernel& direct,
                                         bool takes_small_layers);

// The points of a kernel [3][3], each four times what G g G^T has.
std::array<int32_t, kWinogradPoints> WinogradWeights(const std::array<int32_t, 9>& g);

// Bytes after the end of the packed image that the last tile reads.
int64_t WinogradOverread(const WinogradInput& x, int64_t images);

}  // namespace tally
