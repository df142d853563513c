// Instructions that move lanes of 512 bits.
#pragma once

#include "ops/cpu/gemm/emulated/avx512.h"

TALLY_MODEL __m512i _mm512_castsi128_si512(__m128i v) { return tally::emulated::Undefined<__m512i>(v); }
TALLY_MODEL __m512i _mm512_castsi256_si512(__m256i v) { return tally::emulated::Undefined<__m512i>(v); }
TALLY_MODEL __m128i _mm512_castsi512_si128(__m512i v) { return tally::emulated::Part<__m128i>(v, 0); }
TALLY_MODEL __m256i _mm512_castsi512_si256(__m512i v) { return tally::emulated::Part<__m256i>(v, 0); }
TALLY_MODEL __m128i _mm512_extracti32x4_epi32(__m512i v, int i) {
  return tally::emulated::Part<__m128i>(v, i);
}
TALLY_MODEL __m256i _mm512_extracti64x4_epi64(__m512i v, int i) {
  return tally::emulated::Part<__m256i>(v, i);
}
TALLY_MODEL __m512i _mm512_inserti32x4(__m512i v, __m128i part, int i) {
  return tally::emulated::WithPart(v, part, i);
}
TALLY_MODEL __m512i _mm512_inserti64x4(__m512i v, __m256i part, int i) {
  return tally::emulated::WithPart(v, part, i);
}

TALLY_MODEL __m512i _mm512_broadcast_i32x4(__m128i v) {
  const auto lanes = tally::emulated::Lanes<int32_t>(v);
  return tally::emulated::Fill<__m512i, int32_t>([&](size_t i) { return lanes[i % 4]; });
}

TALLY_MODEL __m512i _mm512_mask_blend_epi8(__mmask64 mask, __m512i a, __m512i b) {
  return tally::emulated::Blend<int8_t>(mask, a, b);
}
TALLY_MODEL __m512i _mm512_mask_blend_epi16(__mmask32 mask, __m512i a, __m512i b) {
  return tally::emulated::Blend<int16_t>(mask, a, b);
}
TALLY_MODEL __mmask64 _mm512_movepi8_mask(__m512i v) {
  const auto lanes = tally::emulated::Lanes<int8_t>(v);
  __mmask64 mask = 0;
  for (size_t i = 0; i < lanes.size(); ++i) mask |= __mmask64{lanes[i] < 0} << i;
  return mask;
}

// Letters name lanes of 32 bits, A the first; the result's last one is first.
enum _MM_PERM_ENUM { _MM_PERM_DDBB = 3 << 6 | 3 << 4 | 1 << 2 | 1 };
TALLY_MODEL __m512i _mm512_mask_shuffle_epi32(__m512i other, __mmask16 mask, __m512i v, _MM_PERM_ENUM order) {
  const auto lanes = tally::emulated::Lanes<int32_t>(v);
  const auto shuffled = tally::emulated::Fill<__m512i, int32_t>(
      [&](size_t i) { return lanes[i / 4 * 4 + (order >> i % 4 * 2 & 3)]; });
  return tally::emulated::Blend<int32_t>(mask, other, shuffled);
}
TALLY_MODEL __m512i _mm512_permutexvar_epi32(__m512i order, __m512i v) {
  const auto lanes = tally::emulated::Lanes<int32_t>(v);
  return tally::emulated::Each<int32_t>([&](int32_t from) { return lanes[from & 15]; }, order);
}
TALLY_MODEL __m512i _mm512_permutexvar_epi64(__m512i order, __m512i v) {
  const auto lanes = tally::emulated::Lanes<int64_t>(v);
  return tally::emulated::Each<int64_t>([&](int64_t from) { return lanes[from & 7]; }, order);
}
// Bit 3 of an index chooses b.
TALLY_MODEL __m512i _mm512_permutex2var_epi64(__m512i a, __m512i order, __m512i b) {
  const auto x = tally::emulated::Lanes<int64_t>(a), y = tally::emulated::Lanes<int64_t>(b);
  return tally::emulated::Each<int64_t>([&](int64_t from) { return (from & 8 ? y : x)[from & 7]; }, order);
}
// Bit 6 of an index chooses b.
TALLY_MODEL __m512i _mm512_permutex2var_epi8(__m512i a, __m512i order, __m512i b) {
  const auto x = tally::emulated::Lanes<int8_t>(a), y = tally::emulated::Lanes<int8_t>(b);
  return tally::emulated::Each<int8_t>([&](int8_t from) { return (from & 64 ? y : x)[from & 63]; }, order);
}
