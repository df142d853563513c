#include "ops/table/table_loops.h"

#include "ops/simd/element.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

namespace tally::TALLY_ISA {
namespace {

template <int T>
void ByteLookup(const int8_t* x, const void* table_bytes, void* y_bytes, int64_t n) {
  const auto* table = At<T>(table_bytes);
  auto* y = At<T>(y_bytes);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) y[i] = table[static_cast<uint8_t>(x[i])];
}

template <int S, int T>
void Lookup(const void* x_bytes, int64_t offset, int64_t last, const void* table_bytes, void* y_bytes,
            int64_t n) {
  const auto* x = At<S>(x_bytes);
  const auto* table = At<T>(table_bytes);
  auto* y = At<T>(y_bytes);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const auto distance =
        static_cast<int64_t>(static_cast<uint64_t>(int64_t{x[i]}) - static_cast<uint64_t>(offset));
    const int64_t raised = distance < 0 ? 0 : distance;
    y[i] = table[raised > last ? last : raised];
  }
}

#if defined(__AVX512BW__)

// 256 words are four pairs of registers; the two high bits of the index choose among them.
void ByteLookupWords(const int8_t* x, const void* table, void* y_bytes, int64_t n) {
  __m512i t[8];
  for (int k = 0; k < 8; ++k) t[k] = _mm512_loadu_si512(static_cast<const uint8_t*>(table) + 64 * k);
  auto* y = static_cast<uint8_t*>(y_bytes);
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const __m512i index = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i)));
    const __mmask32 bit6 = _mm512_test_epi16_mask(index, _mm512_set1_epi16(0x40));
    const __mmask32 bit7 = _mm512_test_epi16_mask(index, _mm512_set1_epi16(0x80));
    const __m512i q0 = _mm512_permutex2var_epi16(t[0], index, t[1]);
    const __m512i q1 = _mm512_permutex2var_epi16(t[2], index, t[3]);
    const __m512i q2 = _mm512_permutex2var_epi16(t[4], index, t[5]);
    const __m512i q3 = _mm512_permutex2var_epi16(t[6], index, t[7]);
    const __m512i low = _mm512_mask_blend_epi16(bit6, q0, q1), high = _mm512_mask_blend_epi16(bit6, q2, q3);
    _mm512_storeu_si512(y + 2 * i, _mm512_mask_blend_epi16(bit7, low, high));
  }
  ByteLookup<1>(x + i, table, y + 2 * i, n - i);
}

#endif

}  // namespace

#if defined(__AVX512BW__)

__attribute__((target("avx512vbmi"))) void LookUpBytesVbmi(const int8_t* x, const void* table, void* y_bytes,
                                                           int64_t n) {
  __m512i t[4];
  for (int k = 0; k < 4; ++k) t[k] = _mm512_loadu_si512(static_cast<const uint8_t*>(table) + 64 * k);
  auto* y = static_cast<uint8_t*>(y_bytes);
  for (int64_t i = 0; i < n; i += 64) {
    const __mmask64 mask = n - i >= 64 ? ~__mmask64{0} : (__mmask64{1} << (n - i)) - 1;
    const __m512i index = _mm512_maskz_loadu_epi8(mask, x + i);
    const __m512i low = _mm512_permutex2var_epi8(t[0], index, t[1]);
    const __m512i high = _mm512_permutex2var_epi8(t[2], index, t[3]);
    _mm512_mask_storeu_epi8(y + i, mask, _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high));
  }
}

#endif

const TableLoops kTableLoops = {
#if defined(__AVX512BW__)
    {ByteLookup<0>, ByteLookupWords, ByteLookup<2>, ByteLookup<3>},
#else
    {ByteLookup<0>, ByteLookup<1>, ByteLookup<2>, ByteLookup<3>},
#endif
    {{Lookup<0, 0>, Lookup<0, 1>, Lookup<0, 2>, Lookup<0, 3>},
     {Lookup<1, 0>, Lookup<1, 1>, Lookup<1, 2>, Lookup<1, 3>},
     {Lookup<2, 0>, Lookup<2, 1>, Lookup<2, 2>, Lookup<2, 3>},
     {Lookup<3, 0>, Lookup<3, 1>, Lookup<3, 2>, Lookup<3, 3>}},
};

}  // namespace tally::TALLY_ISA
