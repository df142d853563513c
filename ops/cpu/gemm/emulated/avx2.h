// Vectors of 128 bits, and what only those of 256 have.
#pragma once

#include "ops/cpu/gemm/emulated/both_widths.h"

// A hint: no memory is too far for it.
enum _mm_hint { _MM_HINT_T1 };
TALLY_MODEL void _mm_prefetch(const void*, _mm_hint) {}

TALLY_MODEL __m128i _mm_cvtsi32_si128(int v) {
  return tally::emulated::Fill<__m128i, int32_t>([&](size_t i) { return i == 0 ? v : 0; });
}
TALLY_MODEL __m128i _mm_loadu_si128(const __m128i* at) { return tally::emulated::Load<__m128i>(at); }
TALLY_MODEL __m128i _mm_loadl_epi64(const __m128i* at) {
  const auto low = tally::emulated::Load<uint64_t>(at);
  return tally::emulated::Fill<__m128i, uint64_t>([&](size_t i) { return i == 0 ? low : 0; });
}
TALLY_MODEL void _mm_storeu_si128(__m128i* at, __m128i v) { tally::emulated::Store(at, v); }
TALLY_MODEL void _mm_storel_epi64(__m128i* at, __m128i v) {
  tally::emulated::Store(at, tally::emulated::Lanes<uint64_t>(v)[0]);
}

TALLY_MODEL __m256i _mm256_setzero_si256() { return __m256i{}; }
#define TALLY_EMULATE_SET(name, Lane)                                       \
  TALLY_MODEL __m256i name(Lane v) {                                        \
    return tally::emulated::Fill<__m256i, Lane>([&](size_t) { return v; }); \
  }
TALLY_EMULATE_SET(_mm256_set1_epi8, char)
TALLY_EMULATE_SET(_mm256_set1_epi16, short)
TALLY_EMULATE_SET(_mm256_set1_epi32, int)
TALLY_EMULATE_SET(_mm256_set1_epi64x, long long)
#undef TALLY_EMULATE_SET
TALLY_MODEL __m256i _mm256_setr_epi32(int v0, int v1, int v2, int v3, int v4, int v5, int v6, int v7) {
  return tally::emulated::VectorOf<__m256i>(std::array<int32_t, 8>{v0, v1, v2, v3, v4, v5, v6, v7});
}
TALLY_MODEL __m256i _mm256_loadu_si256(const __m256i* at) { return tally::emulated::Load<__m256i>(at); }
TALLY_MODEL void _mm256_storeu_si256(__m256i* at, __m256i v) { tally::emulated::Store(at, v); }

#define TALLY_EMULATE_2(name, Lane, f)                            \
  TALLY_MODEL __m256i name(__m256i a, __m256i b) {                \
    return tally::emulated::Each<Lane>(tally::emulated::f, a, b); \
  }
TALLY_EMULATE_2(_mm256_and_si256, uint64_t, kAnd)
TALLY_EMULATE_2(_mm256_or_si256, uint64_t, kOr)
TALLY_EMULATE_2(_mm256_xor_si256, uint64_t, kXor)
TALLY_EMULATE_2(_mm256_cmpgt_epi64, int64_t, kGreater)
TALLY_EMULATE_2(_mm256_srlv_epi64, uint64_t, kShiftRightBy)
#undef TALLY_EMULATE_2

// AVX-VNNI's sums of products.
TALLY_MODEL __m256i _mm256_dpbusd_avx_epi32(__m256i sum, __m256i a, __m256i b) {
  return tally::emulated::AddFours(sum, a, b);
}
TALLY_MODEL __m256i _mm256_dpwssd_avx_epi32(__m256i sum, __m256i a, __m256i b) {
  return tally::emulated::AddPairs(sum, a, b);
}

#define TALLY_EMULATE_CONVERSION(name, V, To, From) \
  TALLY_MODEL V name(__m128i v) { return tally::emulated::Convert<V, To, From>(tally::emulated::kSame, v); }
TALLY_EMULATE_CONVERSION(_mm_cvtepi8_epi16, __m128i, int16_t, int8_t)
TALLY_EMULATE_CONVERSION(_mm256_cvtepi8_epi16, __m256i, int16_t, int8_t)
TALLY_EMULATE_CONVERSION(_mm256_cvtepi8_epi32, __m256i, int32_t, int8_t)
TALLY_EMULATE_CONVERSION(_mm256_cvtepi16_epi32, __m256i, int32_t, int16_t)
#undef TALLY_EMULATE_CONVERSION

// The signs of the bytes of `mask` choose b.
TALLY_MODEL __m256i _mm256_blendv_epi8(__m256i a, __m256i b, __m256i mask) {
  return tally::emulated::Each<int8_t>([](auto x, auto y, auto m) { return m < 0 ? y : x; }, a, b, mask);
}
TALLY_MODEL __m256i _mm256_blend_epi32(__m256i a, __m256i b, int mask) {
  return tally::emulated::Blend<int32_t>(mask, a, b);
}
// The same eight bits for each 128.
TALLY_MODEL __m256i _mm256_blend_epi16(__m256i a, __m256i b, int mask) {
  return tally::emulated::Blend<int16_t>(mask | mask << 8, a, b);
}
TALLY_MODEL __m256i _mm256_permutevar8x32_epi32(__m256i v, __m256i order) {
  const auto lanes = tally::emulated::Lanes<int32_t>(v);
  return tally::emulated::Each<int32_t>([&](int32_t from) { return lanes[from & 7]; }, order);
}
TALLY_MODEL __m256i _mm256_permute4x64_epi64(__m256i v, int order) {
  const auto lanes = tally::emulated::Lanes<int64_t>(v);
  return tally::emulated::Fill<__m256i, int64_t>([&](size_t i) { return lanes[order >> 2 * i & 3]; });
}
// Two bits choose among the halves of a and b; the fourth one gives zero.
TALLY_MODEL __m256i _mm256_permute2x128_si256(__m256i a, __m256i b, int order) {
  __m256i v = {};
  for (size_t i = 0; i < 2; ++i) {
    const int from = order >> 4 * i;
    const auto half = tally::emulated::Part<__m128i>(from & 2 ? b : a, from & 1);
    v = tally::emulated::WithPart(v, from & 8 ? __m128i{} : half, i);
  }
  return v;
}
TALLY_MODEL __m256i _mm256_castsi128_si256(__m128i v) { return tally::emulated::Undefined<__m256i>(v); }
TALLY_MODEL __m128i _mm256_castsi256_si128(__m256i v) { return tally::emulated::Part<__m128i>(v, 0); }
TALLY_MODEL __m128i _mm256_extracti128_si256(__m256i v, int i) {
  return tally::emulated::Part<__m128i>(v, i);
}
TALLY_MODEL __m256i _mm256_inserti128_si256(__m256i v, __m128i part, int i) {
  return tally::emulated::WithPart(v, part, i);
}
TALLY_MODEL __m256i _mm256_broadcastsi128_si256(__m128i v) {
  return tally::emulated::WithPart(tally::emulated::Undefined<__m256i>(v), v, 1);
}
