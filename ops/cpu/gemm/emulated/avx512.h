// Arithmetic of 512 bits, VNNI's sums of products, and conversions.
#pragma once

#include "ops/cpu/gemm/emulated/avx2.h"
#include "ops/cpu/gemm/emulated/lanes.h"

typedef long long __m512i __attribute__((vector_size(64)));
typedef uint16_t __mmask16;
typedef uint32_t __mmask32;
typedef unsigned long long __mmask64;

#define TALLY_EMULATE_2(name, Lane, f)             \
  TALLY_MODEL __m512i name(__m512i a, __m512i b) { \
    using namespace tally::emulated; /* NOLINT */  \
    return Each<Lane>(f, a, b);                    \
  }
TALLY_EMULATE_2(_mm512_add_epi32, uint32_t, kAdd)
TALLY_EMULATE_2(_mm512_add_epi64, uint64_t, kAdd)
TALLY_EMULATE_2(_mm512_min_epi8, int8_t, kMin)
TALLY_EMULATE_2(_mm512_min_epi16, int16_t, kMin)
TALLY_EMULATE_2(_mm512_min_epi32, int32_t, kMin)
TALLY_EMULATE_2(_mm512_max_epi8, int8_t, kMax)
TALLY_EMULATE_2(_mm512_max_epi16, int16_t, kMax)
TALLY_EMULATE_2(_mm512_max_epi32, int32_t, kMax)
TALLY_EMULATE_2(_mm512_and_si512, uint64_t, [](auto x, auto y) { return x & y; })
TALLY_EMULATE_2(_mm512_or_si512, uint64_t, [](auto x, auto y) { return x | y; })
TALLY_EMULATE_2(_mm512_xor_si512, uint64_t, [](auto x, auto y) { return x ^ y; })
TALLY_EMULATE_2(_mm512_srav_epi32, int32_t,
                [](int32_t v, int32_t count) { return ShiftRight(v, static_cast<uint32_t>(count)); })
TALLY_EMULATE_2(_mm512_srav_epi64, int64_t,
                [](int64_t v, int64_t count) { return ShiftRight(v, static_cast<uint64_t>(count)); })
// Products of the low halves of 64-bit lanes.
TALLY_EMULATE_2(_mm512_mul_epi32, int64_t, [](int64_t x, int64_t y) {
  return int64_t{static_cast<int32_t>(x)} * static_cast<int32_t>(y);
})
#undef TALLY_EMULATE_2

TALLY_MODEL __m512i _mm512_slli_epi32(__m512i v, unsigned count) {
  return tally::emulated::Each<uint32_t>([&](auto x) { return tally::emulated::ShiftLeft(x, count); }, v);
}
TALLY_MODEL __m512i _mm512_slli_epi64(__m512i v, unsigned count) {
  return tally::emulated::Each<uint64_t>([&](auto x) { return tally::emulated::ShiftLeft(x, count); }, v);
}
TALLY_MODEL __m512i _mm512_srli_epi64(__m512i v, unsigned count) {
  return tally::emulated::Each<uint64_t>([&](auto x) { return tally::emulated::ShiftRight(x, count); }, v);
}
TALLY_MODEL __m512i _mm512_srai_epi32(__m512i v, unsigned count) {
  return tally::emulated::Each<int32_t>([&](auto x) { return tally::emulated::ShiftRight(x, count); }, v);
}
// All by the low 64 bits of `count`.
TALLY_MODEL __m512i _mm512_sra_epi64(__m512i v, __m128i count) {
  const uint64_t n = tally::emulated::Lanes<uint64_t>(count)[0];
  return tally::emulated::Each<int64_t>([&](auto x) { return tally::emulated::ShiftRight(x, n); }, v);
}

// Four products of an unsigned and a signed byte in each lane. The sum wraps.
TALLY_MODEL __m512i _mm512_dpbusd_epi32(__m512i sum, __m512i a, __m512i b) {
  const auto start = tally::emulated::Lanes<uint32_t>(sum);
  const auto x = tally::emulated::Lanes<uint8_t>(a);
  const auto w = tally::emulated::Lanes<int8_t>(b);
  return tally::emulated::Fill<__m512i, uint32_t>([&](size_t i) {
    uint32_t total = start[i];
    for (size_t k = 4 * i; k < 4 * i + 4; ++k) total += tally::emulated::Product(x[k], w[k]);
    return total;
  });
}
// Two products of 16 bits in each lane. The sum wraps.
TALLY_MODEL __m512i _mm512_dpwssd_epi32(__m512i sum, __m512i a, __m512i b) {
  const auto start = tally::emulated::Lanes<uint32_t>(sum);
  const auto x = tally::emulated::Lanes<int16_t>(a), w = tally::emulated::Lanes<int16_t>(b);
  return tally::emulated::Fill<__m512i, uint32_t>([&](size_t i) {
    return start[i] + tally::emulated::Product(x[2 * i], w[2 * i]) +
           tally::emulated::Product(x[2 * i + 1], w[2 * i + 1]);
  });
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
