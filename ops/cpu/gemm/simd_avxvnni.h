// Vectors of 256 bits, where one instruction adds up products of bytes (AVX-VNNI).
#pragma once

#include "ops/cpu/gemm/simd_avx2.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

struct AvxVnni : Avx2 {
  // The forms without saturation: accumulators wrap, as micro_kernel.h says.
  static TALLY_INLINE Int AddPairs(Int sum, Int a, Int b) { return _mm256_dpwssd_avx_epi32(sum, a, b); }
  template <Element element>
  static TALLY_INLINE Int Dot(Int sum, Int x, Int w) {
    if constexpr (element == Element::kBiasedS8) return _mm256_dpbusd_avx_epi32(sum, x, w);
    return AddPairs(sum, x, w);
  }

  using FourBytes = Int;
  static constexpr int64_t kFourWeightBytes = 4;
  static TALLY_INLINE Int DotFour(Int sum, Int x, const uint8_t* w) {
    return _mm256_dpbusd_avx_epi32(sum, x, Load(w));
  }
};

}  // namespace
}  // namespace tally
