#include "ops/table/cpu/table_loops.h"

#include "ops/cpu/binade.h"
#include "ops/cpu/element.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
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
    // By masks: values at random would make every second branch a wrong guess.
    const int64_t raised = distance & ~(distance >> 63), beyond = raised - last;
    y[i] = table[last + (beyond & (beyond >> 63))];
  }
}

template <bool kProduct>
void NormalizedBy(const int64_t* x, int64_t n, const NormalizedArgs& args, int64_t* y) {
  const NormalizedArgs a = args;
  const int64_t *mantissas = a.mantissas, *exponents = a.exponents;
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const int64_t v = x[i], binade = FloorLog2(static_cast<uint64_t>(v)), exponent = exponents[binade];
    const int64_t mantissa = InterpolateBinade(v, binade, mantissas);
    const int64_t exact = kProduct ? mantissa * exponent : mantissa + exponent;
    const int64_t rounded = ((exact + a.half) >> a.shift) + a.zero_out;
    const int64_t raised = rounded < a.lo ? a.lo : rounded;
    y[i] = raised > a.hi ? a.hi : raised;
  }
}

void Normalized(const int64_t* x, int64_t n, const NormalizedArgs& args, int64_t* y) {
  args.product ? NormalizedBy<true>(x, n, args, y) : NormalizedBy<false>(x, n, args, y);
}

#if defined(__AVX512BW__)

// A position has the 20 bits below those of the index, and no more of x. An entry and the next one come as
// one qword, and exponents are in two registers.
template <bool kProduct>
void NarrowNormalizedBy(const int32_t* x, int64_t n, const NarrowNormalizedArgs& args, int32_t* y) {
  const NarrowNormalizedArgs a = args;
  const __m512i first = _mm512_loadu_si512(a.exponents), last = _mm512_loadu_si512(a.exponents + 16),
                rounding = _mm512_set1_epi64(1 << 19), half = _mm512_set1_epi64(a.half),
                shift = _mm512_set1_epi64(a.shift), one = _mm512_set1_epi64(1),
                zero_out = _mm512_set1_epi32(a.zero_out), lo = _mm512_set1_epi32(a.lo),
                hi = _mm512_set1_epi32(a.hi);
  const __m512i evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  for (int64_t i = 0; i < n; i += 16) {
    const auto lanes = static_cast<__mmask16>(n - i >= 16 ? 0xffff : (1 << (n - i)) - 1);
    __m512i v = _mm512_mask_loadu_epi32(_mm512_set1_epi32(1), lanes, x + i), binade = _mm512_set1_epi32(30);
    const auto normalize = [&](int bits) {
      const __mmask16 small = _mm512_cmplt_epi32_mask(v, _mm512_set1_epi32(1 << (31 - bits)));
      v = _mm512_mask_sll_epi32(v, small, v, _mm_cvtsi32_si128(bits));
      binade = _mm512_mask_sub_epi32(binade, small, binade, _mm512_set1_epi32(bits));
    };
    normalize(16);
    normalize(8);
    normalize(4);
    normalize(2);
    normalize(1);
    const __m512i index = _mm512_and_si512(_mm512_srli_epi32(v, 20), _mm512_set1_epi32(1023)),
                  rest = _mm512_and_si512(v, _mm512_set1_epi32((1 << 20) - 1)),
                  exponent = _mm512_permutex2var_epi32(first, binade, last);
    const auto eight = [&](__m256i eight_indices, __m256i eight_rests, __m256i eight_exponents) {
      const __m512i pair = _mm512_mask_i32gather_epi64(one, 0xff, eight_indices, a.mantissas, 4);
      const __m512i step = _mm512_sub_epi32(_mm512_srli_epi64(pair, 32), pair);
      const __m512i weighted = _mm512_mul_epi32(step, _mm512_cvtepu32_epi64(eight_rests));
      const __m512i mantissa =
          _mm512_add_epi32(pair, _mm512_srai_epi64(_mm512_add_epi64(weighted, rounding), 20));
      const __m512i factor = _mm512_cvtepi32_epi64(eight_exponents);
      const __m512i exact = kProduct ? _mm512_mul_epi32(mantissa, factor)
                                     : _mm512_add_epi64(_mm512_mul_epi32(mantissa, one), factor);
      return _mm512_srav_epi64(_mm512_add_epi64(exact, half), shift);
    };
    const auto upper = [](__m512i v) { return _mm512_extracti64x4_epi64(v, 1); };
    const auto lower = [](__m512i v) { return _mm512_castsi512_si256(v); };
    const __m512i quotients =
        _mm512_permutex2var_epi32(eight(lower(index), lower(rest), lower(exponent)), evens,
                                  eight(upper(index), upper(rest), upper(exponent)));
    const __m512i placed = _mm512_add_epi32(quotients, zero_out);
    _mm512_mask_storeu_epi32(y + i, lanes, _mm512_min_epi32(_mm512_max_epi32(placed, lo), hi));
  }
}

#else

// The same where a bias keeps what is shifted positive: few instruction sets shift 64 bits with their sign.
template <bool kProduct>
void NarrowNormalizedBy(const int32_t* x, int64_t n, const NarrowNormalizedArgs& args, int32_t* y) {
  constexpr uint64_t kBias = uint64_t{1} << 62;
  const NarrowNormalizedArgs a = args;
  const int32_t *mantissas = a.mantissas, *exponents = a.exponents;
  const uint64_t addend = kBias + static_cast<uint64_t>(a.half), bias = kBias >> a.shift;
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    int32_t v = x[i], binade = 30;
    const auto normalize = [&](int bits) {
      const bool small = v < 1 << (31 - bits);
      binade -= small ? bits : 0;
      v = small ? v << bits : v;
    };
    normalize(16);
    normalize(8);
    normalize(4);
    normalize(2);
    normalize(1);
    const int32_t index = (v >> 20) & 1023, rest = v & ((1 << 20) - 1), below = mantissas[index],
                  step = mantissas[index + 1] - below;
    const auto weighted = static_cast<uint64_t>(int64_t{step} * rest + (1 << 19)) + kBias;
    const int32_t mantissa = below + static_cast<int32_t>((weighted >> 20) - (kBias >> 20)),
                  exponent = exponents[binade];
    const int64_t exact = kProduct ? int64_t{mantissa} * exponent : int64_t{mantissa} + exponent;
    const auto quotient = static_cast<int32_t>(((static_cast<uint64_t>(exact) + addend) >> a.shift) - bias);
    const int32_t placed = quotient + a.zero_out, raised = placed < a.lo ? a.lo : placed;
    y[i] = raised > a.hi ? a.hi : raised;
  }
}

#endif

void NarrowNormalized(const int32_t* x, int64_t n, const NarrowNormalizedArgs& args, int32_t* y) {
  args.product ? NarrowNormalizedBy<true>(x, n, args, y) : NarrowNormalizedBy<false>(x, n, args, y);
}

#if defined(__AVX2__)

#if defined(__AVX512BW__)
using Bytes = __m512i;
#define TALLY_BYTES(name) _mm512_##name
#define TALLY_BYTES_OF_ROW _mm512_broadcast_i32x4
#define TALLY_XOR _mm512_xor_si512
#else
using Bytes = __m256i;
#define TALLY_BYTES(name) _mm256_##name
#define TALLY_BYTES_OF_ROW _mm256_broadcastsi128_si256
#define TALLY_XOR _mm256_xor_si256
#endif

// A shuffle takes an entry of a row of 16 by the low bits of an index, and 0 for a negative one. Row k, less
// row k - 1, is added by exclusive or for indices of at least 16 k, so that the last row that counts is left.
// Halves of 128 indices have eight rows each; the other half is negative there, and stays so.
void ByteLookupBytes(const int8_t* x, const void* table, void* y_bytes, int64_t n) {
  constexpr int64_t kBytes = sizeof(Bytes);
  constexpr int kRows = 8;
  Bytes rows[2][kRows];
  for (int half = 0; half < 2; ++half) {
    Bytes before{};
    for (int k = 0; k < kRows; ++k) {
      const auto* row = static_cast<const __m128i_u*>(table) + half * kRows + k;
      const Bytes entries = TALLY_BYTES_OF_ROW(_mm_loadu_si128(row));
      rows[half][k] = TALLY_XOR(entries, before);
      before = entries;
    }
  }
  auto* y = static_cast<uint8_t*>(y_bytes);
  const Bytes sixteen = TALLY_BYTES(set1_epi8)(16), top = TALLY_BYTES(set1_epi8)(-128);
  int64_t i = 0;
  for (; i + kBytes <= n; i += kBytes) {
    Bytes low, found{};
    __builtin_memcpy(&low, x + i, kBytes);
    Bytes high = TALLY_XOR(low, top);
    for (int k = 0; k < kRows; ++k) {
      const Bytes entries =
          TALLY_XOR(TALLY_BYTES(shuffle_epi8)(rows[0][k], low), TALLY_BYTES(shuffle_epi8)(rows[1][k], high));
      found = TALLY_XOR(found, entries);
      low = TALLY_BYTES(subs_epi8)(low, sixteen);
      high = TALLY_BYTES(subs_epi8)(high, sixteen);
    }
    __builtin_memcpy(y + i, &found, kBytes);
  }
  ByteLookup<0>(x + i, table, y + i, n - i);
}

#undef TALLY_BYTES
#undef TALLY_BYTES_OF_ROW
#undef TALLY_XOR

#endif

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

// Sixteen entries by one gather of four bytes each, which end with the entry unless it is among the first.
template <int S, int T>
void LookupByGather(const void* x_bytes, int64_t offset, int64_t last, const void* table, void* y_bytes,
                    int64_t n) {
  constexpr int kSize = sizeof(Element<T>), kBack = 4 / kSize - 1;
  if (last < kBack || offset < INT32_MIN || offset + last > INT32_MAX) {
    return Lookup<S, T>(x_bytes, offset, last, table, y_bytes, n);
  }
  const auto* x = At<S>(x_bytes);
  auto* y = At<T>(y_bytes);
  const __m512i least = _mm512_set1_epi32(static_cast<int32_t>(offset)),
                most = _mm512_set1_epi32(static_cast<int32_t>(offset + last)),
                back = _mm512_set1_epi32(kBack), zero = _mm512_setzero_si512();
  for (int64_t i = 0; i < n; i += 16) {
    const auto lanes = static_cast<__mmask16>(n - i >= 16 ? 0xffff : (1 << (n - i)) - 1);
    __m512i v;
    if constexpr (S == 1) {
      v = _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(lanes, x + i));
    } else {
      v = _mm512_maskz_loadu_epi32(lanes, x + i);
    }
    const __m512i entry = _mm512_sub_epi32(_mm512_min_epi32(_mm512_max_epi32(v, least), most), least);
    const __m512i first = _mm512_max_epi32(_mm512_sub_epi32(entry, back), zero);
    const __m512i bytes = _mm512_mask_i32gather_epi32(zero, lanes, first, table, kSize);
    const __m512i bits = _mm512_slli_epi32(_mm512_sub_epi32(entry, first), kSize == 1 ? 3 : 4);
    const __m512i found = _mm512_srlv_epi32(bytes, bits);
    if constexpr (T == 0) _mm512_mask_cvtepi32_storeu_epi8(y + i, lanes, found);
    if constexpr (T == 1) _mm512_mask_cvtepi32_storeu_epi16(y + i, lanes, found);
    if constexpr (T == 2) _mm512_mask_storeu_epi32(y + i, lanes, found);
  }
}

#elif defined(__aarch64__)

// 256 bytes are four times four registers; an index beyond its four leaves what the ones before have found.
void ByteLookupBytes(const int8_t* x, const void* table, void* y_bytes, int64_t n) {
  const auto* entries = static_cast<const uint8_t*>(table);
  auto* y = static_cast<uint8_t*>(y_bytes);
  const uint8x16x4_t t0 = vld1q_u8_x4(entries), t1 = vld1q_u8_x4(entries + 64),
                     t2 = vld1q_u8_x4(entries + 128), t3 = vld1q_u8_x4(entries + 192);
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const uint8x16_t index = vreinterpretq_u8_s8(vld1q_s8(x + i));
    uint8x16_t found = vqtbl4q_u8(t0, index);
    found = vqtbx4q_u8(found, t1, vsubq_u8(index, vdupq_n_u8(64)));
    found = vqtbx4q_u8(found, t2, vsubq_u8(index, vdupq_n_u8(128)));
    found = vqtbx4q_u8(found, t3, vsubq_u8(index, vdupq_n_u8(192)));
    vst1q_u8(y + i, found);
  }
  ByteLookup<0>(x + i, table, y + i, n - i);
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
    {ByteLookupBytes, ByteLookupWords, ByteLookup<2>, ByteLookup<3>},
#elif defined(__AVX2__) || defined(__aarch64__)
    {ByteLookupBytes, ByteLookup<1>, ByteLookup<2>, ByteLookup<3>},
#else
    {ByteLookup<0>, ByteLookup<1>, ByteLookup<2>, ByteLookup<3>},
#endif
    {{Lookup<0, 0>, Lookup<0, 1>, Lookup<0, 2>, Lookup<0, 3>},
#if defined(__AVX512BW__)
     {LookupByGather<1, 0>, LookupByGather<1, 1>, LookupByGather<1, 2>, Lookup<1, 3>},
     {LookupByGather<2, 0>, LookupByGather<2, 1>, LookupByGather<2, 2>, Lookup<2, 3>},
#else
     {Lookup<1, 0>, Lookup<1, 1>, Lookup<1, 2>, Lookup<1, 3>},
     {Lookup<2, 0>, Lookup<2, 1>, Lookup<2, 2>, Lookup<2, 3>},
#endif
     {Lookup<3, 0>, Lookup<3, 1>, Lookup<3, 2>, Lookup<3, 3>}},
    Normalized,
    NarrowNormalized,
};

}  // namespace tally::TALLY_ISA
