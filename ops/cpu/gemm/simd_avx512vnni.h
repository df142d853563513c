// Vectors of 512 bits, where one instruction adds up products of bytes (VNNI) or looks up bytes (VBMI).
#pragma once

#include "ops/cpu/gemm/simd_avx512.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

struct Avx512Vnni : Avx512 {
  static constexpr bool kLooksUpInline = true;

  // The forms without saturation: accumulators wrap, as micro_kernel.h says.
  static TALLY_INLINE Int AddPairs(Int sum, Int a, Int b) { return _mm512_dpwssd_epi32(sum, a, b); }
  template <Element element>
  static TALLY_INLINE Int Dot(Int sum, Int x, Int w) {
    if constexpr (element == Element::kBiasedS8) return _mm512_dpbusd_epi32(sum, x, w);
    return AddPairs(sum, x, w);
  }

  using FourBytes = Int;
  static constexpr int64_t kFourWeightBytes = 4;
  static TALLY_INLINE Int DotFour(Int sum, Int x, const uint8_t* w) {
    return _mm512_dpbusd_epi32(sum, x, Load(w));
  }

  // table[y + 128] of signed bytes. Each instruction reads seven bits of the index; the sign chooses between
  // the two.
  static TALLY_INLINE Int LookUp(const int8_t* table, Int y) {
    const Int positive = _mm512_permutex2var_epi8(LoadUnaligned(table + 128), y, LoadUnaligned(table + 192));
    const Int negative = _mm512_permutex2var_epi8(LoadUnaligned(table), y, LoadUnaligned(table + 64));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(y), positive, negative);
  }
};

}  // namespace
}  // namespace tally
