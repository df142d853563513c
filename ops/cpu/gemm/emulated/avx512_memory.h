// Constants, loads and stores of 512 bits, and masked ones of less.
#pragma once

#include "ops/cpu/gemm/emulated/avx512.h"

TALLY_MODEL __m512i _mm512_setzero_si512() { return __m512i{}; }
TALLY_MODEL __m512i _mm512_set1_epi8(char v) {
  return tally::emulated::Fill<__m512i, int8_t>([&](size_t) { return v; });
}
TALLY_MODEL __m512i _mm512_set1_epi16(short v) {
  return tally::emulated::Fill<__m512i, int16_t>([&](size_t) { return v; });
}
TALLY_MODEL __m512i _mm512_set1_epi32(int v) {
  return tally::emulated::Fill<__m512i, int32_t>([&](size_t) { return v; });
}
TALLY_MODEL __m512i _mm512_set1_epi64(long long v) {
  return tally::emulated::Fill<__m512i, int64_t>([&](size_t) { return v; });
}
template <typename... Lane>
__m512i _mm512_setr_epi32(Lane... lanes) {
  return tally::emulated::VectorOf<__m512i>(std::array<int32_t, 16>{lanes...});
}
template <typename... Lane>
__m512i _mm512_setr_epi64(Lane... lanes) {
  return tally::emulated::VectorOf<__m512i>(std::array<int64_t, 8>{lanes...});
}

namespace tally::emulated {

inline void RequireAligned(const void* at) {
  if (reinterpret_cast<uintptr_t>(at) % 64 != 0) Refuse("an aligned access of 64 bytes is not aligned");
}

// Lanes that the mask leaves out are not touched in memory.
template <typename V, typename T>
V MaskedLoad(uint64_t mask, const void* at) {
  return Fill<V, T>([&](size_t i) {
    T lane = 0;
    if (mask >> i & 1) std::memcpy(&lane, static_cast<const uint8_t*>(at) + i * sizeof(T), sizeof(T));
    return lane;
  });
}
template <typename T, typename V>
void MaskedStore(void* at, uint64_t mask, const V& v) {
  const auto lanes = Lanes<T>(v);
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (mask >> i & 1) std::memcpy(static_cast<uint8_t*>(at) + i * sizeof(T), &lanes[i], sizeof(T));
  }
}

}  // namespace tally::emulated

TALLY_MODEL __m512i _mm512_loadu_si512(const void* at) { return tally::emulated::Load<__m512i>(at); }
TALLY_MODEL void _mm512_storeu_si512(void* at, __m512i v) { tally::emulated::Store(at, v); }
TALLY_MODEL __m512i _mm512_load_si512(const void* at) {
  tally::emulated::RequireAligned(at);
  return tally::emulated::Load<__m512i>(at);
}
TALLY_MODEL void _mm512_store_si512(void* at, __m512i v) {
  tally::emulated::RequireAligned(at);
  tally::emulated::Store(at, v);
}

#define TALLY_EMULATE_LOAD(name, V, Mask, Lane) \
  TALLY_MODEL V name(Mask mask, const void* at) { return tally::emulated::MaskedLoad<V, Lane>(mask, at); }
TALLY_EMULATE_LOAD(_mm_maskz_loadu_epi8, __m128i, __mmask16, int8_t)
TALLY_EMULATE_LOAD(_mm256_maskz_loadu_epi8, __m256i, __mmask32, int8_t)
TALLY_EMULATE_LOAD(_mm256_maskz_loadu_epi16, __m256i, __mmask16, int16_t)
TALLY_EMULATE_LOAD(_mm512_maskz_loadu_epi8, __m512i, __mmask64, int8_t)
TALLY_EMULATE_LOAD(_mm512_maskz_loadu_epi16, __m512i, __mmask32, int16_t)
#undef TALLY_EMULATE_LOAD

#define TALLY_EMULATE_STORE(name, V, Mask, Lane) \
  TALLY_MODEL void name(void* at, Mask mask, V v) { tally::emulated::MaskedStore<Lane>(at, mask, v); }
TALLY_EMULATE_STORE(_mm_mask_storeu_epi8, __m128i, __mmask16, int8_t)
TALLY_EMULATE_STORE(_mm256_mask_storeu_epi8, __m256i, __mmask32, int8_t)
TALLY_EMULATE_STORE(_mm256_mask_storeu_epi16, __m256i, __mmask16, int16_t)
TALLY_EMULATE_STORE(_mm512_mask_storeu_epi8, __m512i, __mmask64, int8_t)
TALLY_EMULATE_STORE(_mm512_mask_storeu_epi32, __m512i, __mmask16, int32_t)
#undef TALLY_EMULATE_STORE
