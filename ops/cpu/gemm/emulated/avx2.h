// Vectors of 128 and 256 bits.
#pragma once

#include "ops/cpu/gemm/emulated/lanes.h"

typedef long long __m128i __attribute__((vector_size(16)));
typedef long long __m256i __attribute__((vector_size(32)));

// A hint: no memory is too far for it.
enum _mm_hint { _MM_HINT_T1 };
TALLY_MODEL void _mm_prefetch(const void*, _mm_hint) {}

TALLY_MODEL __m128i _mm_cvtsi32_si128(int v) {
  return tally::emulated::Fill<__m128i, int32_t>([&](size_t i) { return i == 0 ? v : 0; });
}
TALLY_MODEL void _mm_storeu_si128(__m128i* at, __m128i v) { tally::emulated::Store(at, v); }

TALLY_MODEL __m256i _mm256_setzero_si256() { return __m256i{}; }
TALLY_MODEL __m256i _mm256_set1_epi32(int v) {
  return tally::emulated::Fill<__m256i, int32_t>([&](size_t) { return v; });
}
TALLY_MODEL __m256i _mm256_setr_epi32(int v0, int v1, int v2, int v3, int v4, int v5, int v6, int v7) {
  return tally::emulated::VectorOf<__m256i>(std::array<int32_t, 8>{v0, v1, v2, v3, v4, v5, v6, v7});
}
TALLY_MODEL __m256i _mm256_loadu_si256(const __m256i* at) { return tally::emulated::Load<__m256i>(at); }
TALLY_MODEL void _mm256_storeu_si256(__m256i* at, __m256i v) { tally::emulated::Store(at, v); }

TALLY_MODEL __m256i _mm256_add_epi32(__m256i a, __m256i b) {
  return tally::emulated::Each<uint32_t>(tally::emulated::kAdd, a, b);
}
TALLY_MODEL __m256i _mm256_madd_epi16(__m256i a, __m256i b) {
  const auto x = tally::emulated::Lanes<int16_t>(a), y = tally::emulated::Lanes<int16_t>(b);
  return tally::emulated::Fill<__m256i, uint32_t>([&](size_t i) {
    return tally::emulated::Product(x[2 * i], y[2 * i]) +
           tally::emulated::Product(x[2 * i + 1], y[2 * i + 1]);
  });
}
// Products of the low halves of 64-bit lanes.
TALLY_MODEL __m256i _mm256_mul_epi32(__m256i a, __m256i b) {
  return tally::emulated::Each<int64_t>(
      [](int64_t x, int64_t y) { return int64_t{static_cast<int32_t>(x)} * static_cast<int32_t>(y); }, a, b);
}
TALLY_MODEL __m256i _mm256_permutevar8x32_epi32(__m256i v, __m256i order) {
  const auto lanes = tally::emulated::Lanes<int32_t>(v);
  return tally::emulated::Each<int32_t>([&](int32_t from) { return lanes[from & 7]; }, order);
}
