// Instructions that only vectors of 512 bits have: VNNI's sums of products, and conversions.
#pragma once

#include "ops/cpu/gemm/emulated/avx2.h"

typedef uint16_t __mmask16;
typedef uint32_t __mmask32;
typedef unsigned long long __mmask64;

#define TALLY_EMULATE_2(name, Lane, f)                            \
  TALLY_MODEL __m512i name(__m512i a, __m512i b) {                \
    return tally::emulated::Each<Lane>(tally::emulated::f, a, b); \
  }
TALLY_EMULATE_2(_mm512_and_si512, uint64_t, kAnd)
TALLY_EMULATE_2(_mm512_or_si512, uint64_t, kOr)
TALLY_EMULATE_2(_mm512_xor_si512, uint64_t, kXor)
TALLY_EMULATE_2(_mm512_srav_epi64, int64_t, kShiftRightBy)
#undef TALLY_EMULATE_2

TALLY_MODEL __m512i _mm512_dpbusd_epi32(__m512i sum, __m512i a, __m512i b) {
  return tally::emulated::AddFours(sum, a, b);
}
TALLY_MODEL __m512i _mm512_dpwssd_epi32(__m512i sum, __m512i a, __m512i b) {
  return tally::emulated::AddPairs(sum, a, b);
}

#define TALLY_EMULATE_CONVERSION(name, V, To, W, From, f) \
  TALLY_MODEL V name(W v) { return tally::emulated::Convert<V, To, From>(f, v); }
TALLY_EMULATE_CONVERSION(_mm512_cvtepi8_epi16, __m512i, int16_t, __m256i, int8_t, tally::emulated::kSame)
TALLY_EMULATE_CONVERSION(_mm512_cvtepi8_epi32, __m512i, int32_t, __m128i, int8_t, tally::emulated::kSame)
TALLY_EMULATE_CONVERSION(_mm512_cvtepi16_epi32, __m512i, int32_t, __m256i, int16_t, tally::emulated::kSame)
TALLY_EMULATE_CONVERSION(_mm512_cvtepu32_epi64, __m512i, uint64_t, __m256i, uint32_t, tally::emulated::kSame)
TALLY_EMULATE_CONVERSION(_mm512_cvtepi32_epi8, __m128i, uint8_t, __m512i, uint32_t, tally::emulated::kSame)
TALLY_EMULATE_CONVERSION(_mm512_cvtepi32_epi16, __m256i, uint16_t, __m512i, uint32_t, tally::emulated::kSame)
TALLY_EMULATE_CONVERSION(_mm512_cvtsepi64_epi32, __m256i, int32_t, __m512i, int64_t,
                         tally::emulated::kSaturate<int32_t>)
#undef TALLY_EMULATE_CONVERSION
