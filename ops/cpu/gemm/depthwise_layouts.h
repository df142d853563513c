// How the depthwise kernels see channels and taps.
#pragma once

#include <algorithm>

#include "base/int_math.h"
#include "ops/cpu/gemm/depthwise.h"

namespace tally {

// Sixteen channels and one tap at a time: weights [sixteens][taps][16] of 16 bits. A unit is a line of y.
extern const DepthwiseLayout kSixteens;

// A vector of bytes and the taps of four lines at a time: weights [blocks][lines of y at once][fours of
// lines][kernel columns][4 vectors][lanes][4 lines]. A unit is a line of a block of y. For vectors of
// 32 and 64 bytes; widened to 16 bits there is [2] before the lanes: lines 0 and 2, and lines 1 and 3.
extern const DepthwiseLayout kFourLines32, kFourLines64, kFourLines32Widened, kFourLines64Widened;

// Two taps of a vector of 16-bit channels at a time: weights [vectors of channels][pairs of taps][2][lanes]
// [2 taps] of 16 bits, where [2] are the first and the last four of each eight channels. A unit is a line of
// y. For vectors of 32 and 64 bytes.
extern const DepthwiseLayout kTapPairs16, kTapPairs32, kTapPairs64;

// Lines of y that are computed together: the lines of x that a kernel of three reads, and one more, side by
// side, serve two lines of y, whose taps are at different places of the four.
inline int64_t LinesAtOnce(const DepthwiseShape& s) {
  const int64_t spare = RoundUp(s.kernel_lines, 4) - s.kernel_lines;
  return s.dilation_lines == 1 && s.stride_lines <= spare && s.out_lines > 1 ? 2 : 1;
}

// A block: as many channels as a vector has bytes, 32 or 64; of the last, if they are few, the same half or
// quarter of several neighbouring pixels.
struct FourLinesBlock {
  int64_t bytes = 0;  // a vector's
  int64_t first = 0;  // channel
  int64_t count = 0;  // channels
  int64_t width = 0;  // bytes of a pixel: 64, 32 or 16

  static FourLinesBlock At(int64_t channels, int64_t block, int64_t bytes) {
    const int64_t first = block * bytes, count = channels - first < bytes ? channels - first : bytes;
    int64_t width = bytes;
    while (width > 16 && count <= width / 2) width /= 2;
    return {bytes, first, count, width};
  }
  int64_t pixels() const { return bytes / width; }
};

// The lines that LinesAtOnce lines of y read, side by side in scratch memory, byte by byte: [fours of
// lines][4 vectors][phases][columns][width], column c of x, padding included, in phase c % stride at c /
// stride, so that what neighbouring pixels of y read is side by side.
struct FourLinesScratch {
  int64_t fours = 0;          // for lines of the kernel
  int64_t columns = 0;        // that are read
  int64_t phase_columns = 0;  // in one phase; a group of pixels may read past `columns`
  int64_t vector_bytes = 0;   // for one of the four vectors

  FourLinesScratch(const DepthwiseShape& s, const FourLinesBlock& block)
      : fours(CeilDiv<int64_t>(s.kernel_lines, 4)),
        columns((s.out_columns - 1) * s.stride_columns + (s.kernel_columns - 1) * s.dilation_columns + 1) {
    const int64_t at_once = 2 * block.pixels();
    const int64_t last = (RoundUp(s.out_columns, at_once) - 1) * s.stride_columns +
                         (s.kernel_columns - 1) * s.dilation_columns;
    phase_columns = last / s.stride_columns + 1 + block.pixels();
    vector_bytes = s.stride_columns * phase_columns * block.width;
  }
  int64_t bytes() const { return fours * 4 * vector_bytes; }
};

// Where each tap of kTapPairs reads, in scratch memory.
struct TapPairsScratch {
  static constexpr int64_t kPixels = 8;  // the most of y that are computed together

  const int16_t** pixels = nullptr;  // by tap: the first channel of what the first pixel reads
  int16_t* outside = nullptr;        // elements that so many pixels read outside of x

  TapPairsScratch(const DepthwiseShape& s, uint8_t* memory)
      : pixels(reinterpret_cast<const int16_t**>(memory)),
        outside(reinterpret_cast<int16_t*>(pixels + RoundUp(s.taps(), 2))) {}

  static int64_t OutsideElements(const DepthwiseShape& s) {
    const int64_t runs = std::min(kPixels, s.out_columns) - 1;
    return (runs * s.stride_columns + 1) * s.channels;
  }
  static int64_t Bytes(const DepthwiseShape& s) {
    const int64_t of_taps = RoundUp(s.taps(), 2) * static_cast<int64_t>(sizeof(int16_t*));
    return RoundUp(of_taps + 2 * OutsideElements(s), 64);
  }
};

}  // namespace tally
