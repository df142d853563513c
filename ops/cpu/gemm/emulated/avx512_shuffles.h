// What moves lanes of 512 bits. Packs and unpacks stay within their 128 bits.
#pragma once

#include "ops/cpu/gemm/emulated/avx512.h"

// 256 and 128 bits as parts of 512. What a cast to more leaves undefined holds a pattern, lest a kernel count
// on zeroes.
namespace tally::emulated {

template <typename V, typename W>
V Part(const W& w, size_t index) {
  V part;
  std::memcpy(&part, reinterpret_cast<const uint8_t*>(&w) + index % (sizeof w / sizeof part) * sizeof part,
              sizeof part);
  return part;
}
template <typename V, typename W>
W WithPart(W w, const V& part, size_t index) {
  std::memcpy(reinterpret_cast<uint8_t*>(&w) + index % (sizeof w / sizeof part) * sizeof part, &part,
              sizeof part);
  return w;
}
template <typename V>
__m512i Undefined(const V& low) {
  return WithPart(Fill<__m512i, uint8_t>([](size_t) { return 0xa5; }), low, 0);
}

}  // namespace tally::emulated

TALLY_MODEL __m512i _mm512_castsi128_si512(__m128i v) { return tally::emulated::Undefined(v); }
TALLY_MODEL __m512i _mm512_castsi256_si512(__m256i v) { return tally::emulated::Undefined(v); }
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

namespace tally::emulated {

// The saturated lanes of a, then those of b.
template <typename To, typename From>
__m512i Pack(const __m512i& a, const __m512i& b) {
  const auto x = Lanes<From>(a), y = Lanes<From>(b);
  constexpr size_t kHalf = 16 / sizeof(From);
  return Fill<__m512i, To>([&](size_t i) {
    const size_t lane = i % (2 * kHalf), from = i / (2 * kHalf) * kHalf + lane % kHalf;
    return kSaturate<To>(lane < kHalf ? x[from] : y[from]);
  });
}

// Lanes of a and b in turn, those of the low or of the high half.
template <typename T>
__m512i Unpack(const __m512i& a, const __m512i& b, bool high) {
  const auto x = Lanes<T>(a), y = Lanes<T>(b);
  constexpr size_t kLanes = 16 / sizeof(T);
  return Fill<__m512i, T>([&](size_t i) {
    const size_t from = i / kLanes * kLanes + i % kLanes / 2 + (high ? kLanes / 2 : 0);
    return i % 2 == 0 ? x[from] : y[from];
  });
}

template <typename T>
__m512i Blend(uint64_t mask, const __m512i& a, const __m512i& b) {
  const auto x = Lanes<T>(a), y = Lanes<T>(b);
  return Fill<__m512i, T>([&](size_t i) { return mask >> i & 1 ? y[i] : x[i]; });
}

}  // namespace tally::emulated

TALLY_MODEL __m512i _mm512_packs_epi32(__m512i a, __m512i b) {
  return tally::emulated::Pack<int16_t, int32_t>(a, b);
}
TALLY_MODEL __m512i _mm512_packs_epi16(__m512i a, __m512i b) {
  return tally::emulated::Pack<int8_t, int16_t>(a, b);
}
TALLY_MODEL __m512i _mm512_unpacklo_epi8(__m512i a, __m512i b) {
  return tally::emulated::Unpack<int8_t>(a, b, false);
}
TALLY_MODEL __m512i _mm512_unpackhi_epi8(__m512i a, __m512i b) {
  return tally::emulated::Unpack<int8_t>(a, b, true);
}
TALLY_MODEL __m512i _mm512_unpacklo_epi16(__m512i a, __m512i b) {
  return tally::emulated::Unpack<int16_t>(a, b, false);
}
TALLY_MODEL __m512i _mm512_unpackhi_epi16(__m512i a, __m512i b) {
  return tally::emulated::Unpack<int16_t>(a, b, true);
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
// Bit 6 of an index chooses b.
TALLY_MODEL __m512i _mm512_permutex2var_epi8(__m512i a, __m512i order, __m512i b) {
  const auto x = tally::emulated::Lanes<int8_t>(a), y = tally::emulated::Lanes<int8_t>(b);
  return tally::emulated::Each<int8_t>([&](int8_t from) { return (from & 64 ? y : x)[from & 63]; }, order);
}
