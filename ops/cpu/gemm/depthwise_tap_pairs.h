// Depthwise convolutions of 16 bits with AVX2: what two taps read of 16 channels is brought side by side, and
// one instruction multiplies and adds both.
#pragma once

#include <algorithm>

#include "ops/cpu/gemm/depthwise.h"
#include "ops/cpu/gemm/epilogue_vectors.h"
#include "ops/cpu/gemm/simd_avx2.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

// One line of y.
class TapPairsLine {
 public:
  TapPairsLine(const DepthwiseCall& c, int64_t line)
      : c_(c),
        s_(*c.shape),
        n_(line / s_.out_lines),
        oh_(line % s_.out_lines),
        store_{.epilogue = c.epilogue, .y = c.y, .residual = c.residual, .columns = s_.channels},
        finish_(FinishRowsOf<Avx2>(*c.epilogue)) {
    std::fill_n(outside_, kPanel, static_cast<int16_t>(c.zero));
  }

  void Run() const {
    alignas(64) int32_t acc[kPanel + kVectorColumns] = {};  // kAccumulatorOverread, and a whole line
    for (int64_t ow = 0; ow < s_.out_columns; ++ow) {
      const int64_t row = ((n_ * s_.out_lines + oh_) * s_.out_columns + ow) * s_.channels;
      for (int64_t first = c_.first_channel(); first < c_.end_channel(); first += kPanel) {
        const int64_t end = std::min(first + kPanel, s_.channels);
        for (int64_t c = first; c < end; c += kVectorColumns) Sixteen(ow, c, acc + (c - first));
        finish_(store_, acc, &row, 1, first / kPanel);
      }
    }
  }

 private:
  static constexpr int64_t kPairBytes = 64;  // weights of two taps of 16 channels

  // What tap (h, kw) reads at column ow of y, from channel `first` on.
  TALLY_INLINE const int16_t* At(int64_t h, int64_t kw, int64_t ow, int64_t first) const {
    const int64_t line = oh_ * s_.stride_lines + h * s_.dilation_lines - s_.pad_lines;
    const int64_t column = ow * s_.stride_columns + kw * s_.dilation_columns - s_.pad_columns;
    if (line < 0 || line >= s_.lines || column < 0 || column >= s_.columns) return outside_;
    return reinterpret_cast<const int16_t*>(c_.x) +
           ((n_ * s_.lines + line) * s_.columns + column) * s_.channels + first;
  }

  TALLY_INLINE void Sixteen(int64_t ow, int64_t first, int32_t* acc) const {
    if (s_.channels - first >= kVectorColumns) return Sixteen<true>(ow, first, acc);
    Sixteen<false>(ow, first, acc);
  }

  template <bool whole>
  TALLY_INLINE void Sixteen(int64_t ow, int64_t first, int32_t* acc) const {
    const int64_t bytes = whole ? 32 : 2 * (s_.channels - first);
    __m256i sums[2] = {Avx2::Zero(), Avx2::Zero()};
    const uint8_t* w = c_.weights + first / kVectorColumns * CeilDiv<int64_t>(s_.taps(), 2) * kPairBytes;
    int64_t h = 0, kw = 0;
    const auto load = [&]() __attribute__((always_inline)) {
      const int16_t* const x = At(h, kw, ow, first);
      if (++kw == s_.kernel_columns) kw = 0, ++h;
      return Avx2::LoadPixels<32>(reinterpret_cast<const uint8_t*>(x), 0, bytes);
    };
    for (int64_t tap = 0; tap < s_.taps(); tap += 2, w += kPairBytes) {
      const __m256i a = load(), b = tap + 1 < s_.taps() ? load() : Avx2::Zero();
      sums[0] = Avx2::AddPairs(sums[0], Avx2::UnpackLow16(a, b), Avx2::Load(w));
      sums[1] = Avx2::AddPairs(sums[1], Avx2::UnpackHigh16(a, b), Avx2::Load(w + 32));
    }
    // Channels 0 to 3 and 8 to 11, and those after each, back in order.
    const int32_t* const init = c_.init + first;
    Avx2::Store(acc, Avx2::Add32(Avx2::Load(init), _mm256_permute2x128_si256(sums[0], sums[1], 0x20)));
    Avx2::Store(acc + 8,
                Avx2::Add32(Avx2::Load(init + 8), _mm256_permute2x128_si256(sums[0], sums[1], 0x31)));
  }

  const DepthwiseCall& c_;
  const DepthwiseShape& s_;
  const int64_t n_, oh_;
  const GemmArgs store_;
  const FinishRows finish_;
  int16_t outside_[kPanel];
};

}  // namespace
}  // namespace tally
