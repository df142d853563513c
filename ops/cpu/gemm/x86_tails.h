// Copies of fewer bytes than a vector of x86 has.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "ops/cpu/gemm/always_inline.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

struct X86Tails {
  // 32 bytes, each plus 128.
  static TALLY_INLINE void FlipSigns32(const uint8_t* x, uint8_t* to) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_xor_si256(bytes, _mm256_set1_epi8(-128)));
  }

  // Signed bytes as 16 bits.
  static TALLY_INLINE void Widen16(const uint8_t* x, uint8_t* to) {
    const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_cvtepi8_epi16(sixteen));
  }
  static TALLY_INLINE void Widen8(const uint8_t* x, uint8_t* to) {
    const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(x));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_cvtepi8_epi16(eight));
  }
  static TALLY_INLINE void Widen4(const uint8_t* x, uint8_t* to) {
    int32_t four;
    std::memcpy(&four, x, sizeof four);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_cvtepi8_epi16(_mm_cvtsi32_si128(four)));
  }
};

}  // namespace
}  // namespace tally
