// Depthwise convolutions of 16 bits: what two taps read of a vector of channels is brought side by side, and
// one instruction multiplies and adds both. V: a simd_*.h.
#pragma once

#include <algorithm>

#include "ops/cpu/gemm/depthwise_layouts.h"
#include "ops/cpu/gemm/epilogue_vectors.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

// Runs of pixels of y, of which each tap reads a column of x after the other.
template <typename V>
class TapPairs {
 public:
  explicit TapPairs(const DepthwiseCall& c)
      : c_(c),
        s_(*c.shape),
        taps_(RoundUp(s_.taps(), 2)),
        scratch_(s_, c.scratch),
        store_{.epilogue = c.epilogue, .y = c.y, .residual = c.residual, .columns = s_.channels},
        finish_(FinishRowsOf<V>(*c.epilogue)) {
    std::fill_n(scratch_.outside, TapPairsScratch::OutsideElements(s_), static_cast<int16_t>(c.zero));
    std::fill_n(scratch_.pixels, taps_, scratch_.outside);  // the last may be no tap, whose weights are zeros
    // From the first column of y that reads none in front of x to the last that reads none after it.
    const int64_t reach = (s_.kernel_columns - 1) * s_.dilation_columns - s_.pad_columns;
    inside_begin_ = std::max<int64_t>(0, CeilDiv(s_.pad_columns, s_.stride_columns));
    inside_end_ = s_.columns > reach ? (s_.columns - reach - 1) / s_.stride_columns + 1 : 0;
  }

  void Line(int64_t line) {
    const int64_t n = line / s_.out_lines, oh = line % s_.out_lines;
    for (int64_t ow = 0; ow < s_.out_columns;) {
      const bool inside = ow >= inside_begin_ && ow < inside_end_;
      const int64_t count = inside ? std::min({kPixels, inside_end_ - ow, s_.out_columns - ow}) : 1;
      Point(n, oh, ow);
      Pixels((line * s_.out_columns + ow) * s_.channels, count);
      ow += count;
    }
  }

 private:
  using Int = typename V::Int;
  static constexpr int64_t kStep = V::kBytes / 2;       // channels of a vector
  static constexpr int64_t kPairBytes = 2 * V::kBytes;  // weights of two taps of kStep channels
  static constexpr int64_t kPixels = TapPairsScratch::kPixels;
  static constexpr int kAtOnce = 4;
  static constexpr int64_t kRowsAtOnce = 4 * V::kLanes > kPanel ? 2 : 1;

  // Sets where each tap reads for column ow; for the next columns it reads further on.
  void Point(int64_t n, int64_t oh, int64_t ow) const {
    const auto* const x = reinterpret_cast<const int16_t*>(c_.x);
    int64_t tap = 0;
    for (int64_t h = 0; h < s_.kernel_lines; ++h) {
      const int64_t line = oh * s_.stride_lines + h * s_.dilation_lines - s_.pad_lines;
      for (int64_t kw = 0; kw < s_.kernel_columns; ++kw, ++tap) {
        const int64_t column = ow * s_.stride_columns + kw * s_.dilation_columns - s_.pad_columns;
        const bool in_x = line >= 0 && line < s_.lines && column >= 0 && column < s_.columns;
        scratch_.pixels[tap] =
            in_x ? x + ((n * s_.lines + line) * s_.columns + column) * s_.channels : scratch_.outside;
      }
    }
  }

  // `count` pixels of y from element `first_row` on.
  void Pixels(int64_t first_row, int64_t count) {
    int64_t rows[kPixels];
    for (int64_t p = 0; p < kPixels; ++p) rows[p] = p < count ? first_row + p * s_.channels : -1;
    for (int64_t first = c_.first_channel(); first < c_.end_channel(); first += kPanel) {
      const int64_t end = std::min(first + kPanel, s_.channels);
      for (int64_t c = first; c < end; c += kStep) {
        const int64_t bytes = std::min<int64_t>(V::kBytes, 2 * (s_.channels - c));
        if (bytes == V::kBytes) {
          Sums<true>(c, count, bytes, c - first);
        } else {
          Sums<false>(c, count, bytes, c - first);
        }
      }
      finish_(store_, acc_[0], rows, RoundUp(count, kRowsAtOnce), first / kPanel);
    }
  }

  // Sums up `count` pixels of the channels from c on, into column `at` of the panel.
  template <bool whole>
  TALLY_INLINE void Sums(int64_t c, int64_t count, int64_t bytes, int64_t at) {
    int64_t p = 0;
    for (; p + kAtOnce <= count; p += kAtOnce) Sum<whole, kAtOnce>(c, p, bytes, at);
    for (; p < count; ++p) Sum<whole, 1>(c, p, bytes, at);
  }

  // Pixels side by side share the loads of weights.
  template <bool whole, int pixels>
  TALLY_INLINE void Sum(int64_t c, int64_t first_pixel, int64_t bytes, int64_t at) {
    const int64_t step = s_.stride_columns * s_.channels, offset = first_pixel * step + c;
    const auto load = [&](const int16_t* x) __attribute__((always_inline)) {
      if constexpr (whole) return V::LoadUnaligned(x);
      return V::template LoadPixels<V::kBytes>(reinterpret_cast<const uint8_t*>(x), 0, V::ByteMaskOf(bytes));
    };
    const uint8_t* w = c_.weights + c / kStep * (taps_ / 2) * kPairBytes;
    Int low[pixels], high[pixels];
#pragma GCC unroll 4
    for (int p = 0; p < pixels; ++p) low[p] = high[p] = V::Zero();
    for (int64_t tap = 0; tap < taps_; tap += 2, w += kPairBytes) {
      const int16_t *const a = scratch_.pixels[tap] + offset, *const b = scratch_.pixels[tap + 1] + offset;
      const Int low_weights = V::Load(w), high_weights = V::Load(w + V::kBytes);
#pragma GCC unroll 4
      for (int p = 0; p < pixels; ++p) {
        const Int x = load(a + p * step), y = load(b + p * step);
        low[p] = V::AddPairs(low[p], V::UnpackLow16(x, y), low_weights);
        high[p] = V::AddPairs(high[p], V::UnpackHigh16(x, y), high_weights);
      }
    }
    const Int first = V::Load(c_.init + c), last = V::Load(c_.init + c + V::kLanes);
#pragma GCC unroll 4
    for (int p = 0; p < pixels; ++p) {
      int32_t* const acc = acc_[first_pixel + p] + at;
      V::Store(acc, V::Add32(first, V::FirstOfUnpacked(low[p], high[p])));
      V::Store(acc + V::kLanes, V::Add32(last, V::LastOfUnpacked(low[p], high[p])));
    }
  }

  const DepthwiseCall& c_;
  const DepthwiseShape& s_;
  const int64_t taps_;  // and one more if they are odd
  const TapPairsScratch scratch_;
  const GemmArgs store_;
  const FinishRows finish_;
  int64_t inside_begin_ = 0, inside_end_ = 0;          // columns of y whose taps are all in x's columns
  alignas(64) int32_t acc_[kPixels + 1][kPanel] = {};  // kAccumulatorOverread, and a whole line
};

template <typename V>
void RunDepthwiseWords(const DepthwiseCall& c) {
  TapPairs<V> pairs(c);
  for (int64_t line = c.line_begin; line < c.line_end; ++line) pairs.Line(line);
}

}  // namespace
}  // namespace tally
