// Vectors of integers for *_loops.cc, with what AVX-512 and AVX2 both have of them; nothing without either.
//
//   for (int64_t i = 0; i < n; i += Simd::kCount) {
//     const Register v = Simd::Load<1>(x, i, n - i);  // zeros behind the end
//     Simd::Store<0>(y, i, n - i, Simd::Min16(v, Simd::Set16(100)));
//   }
#pragma once

#include <cstdint>

#include "ops/cpu/element.h"

#if defined(__AVX2__)
#define TALLY_HAS_SIMD_LANES 1
#include <immintrin.h>

namespace tally::TALLY_ISA {
namespace {

#if defined(__AVX512BW__)
using Register = __m512i;
#define TALLY_MM(name) _mm512_##name
#define TALLY_WHOLE(name) _mm512_##name##_si512
#else
using Register = __m256i;
#define TALLY_MM(name) _mm256_##name
#define TALLY_WHOLE(name) _mm256_##name##_si256
#endif

// Names end with the width of a lane.
struct Simd {
  using R = Register;
  static constexpr int64_t kCount = sizeof(R) / 2;  // 16-bit lanes
  static constexpr int64_t k32BitLanes = kCount / 2;

  static R Zero() { return TALLY_WHOLE(setzero)(); }
  static R Set16(int64_t v) { return TALLY_MM(set1_epi16)(static_cast<int16_t>(v)); }
  static R Set32(int64_t v) { return TALLY_MM(set1_epi32)(static_cast<int32_t>(v)); }
  static R Add16(R a, R b) { return TALLY_MM(add_epi16)(a, b); }
  static R Min16(R a, R b) { return TALLY_MM(min_epi16)(a, b); }
  static R Max16(R a, R b) { return TALLY_MM(max_epi16)(a, b); }
  static R Add32(R a, R b) { return TALLY_MM(add_epi32)(a, b); }
  static R Sub32(R a, R b) { return TALLY_MM(sub_epi32)(a, b); }
  static R Mul32(R a, R b) { return TALLY_MM(mullo_epi32)(a, b); }
  static R Min32(R a, R b) { return TALLY_MM(min_epi32)(a, b); }
  static R Max32(R a, R b) { return TALLY_MM(max_epi32)(a, b); }
  static R ShiftDown32(R v, R by) { return TALLY_MM(srav_epi32)(v, by); }
  static R ShiftDownUnsigned32(R v, R by) { return TALLY_MM(srlv_epi32)(v, by); }
  static R Add64(R a, R b) { return TALLY_MM(add_epi64)(a, b); }
  // The sum of the products of 16-bit lanes 2k and 2k + 1 of a and b.
  static R MulPairs(R a, R b) { return TALLY_MM(madd_epi16)(a, b); }
  // The products of 32-bit lanes 2k.
  static R MulEven(R a, R b) { return TALLY_MM(mul_epi32)(a, b); }
  static R MulEvenUnsigned(R a, R b) { return TALLY_MM(mul_epu32)(a, b); }
  // 32-bit lanes 2k + 1 in the places of 2k.
  static R OddsDown(R v) { return TALLY_MM(srli_epi64)(v, 32); }
  // 32-bit lanes saturated to 16-bit lanes: of each 16 bytes of the result four are of a, the next four of b.
  static R Pack(R a, R b) { return TALLY_MM(packs_epi32)(a, b); }
  // 16-bit lanes of a pack of even and odd 32-bit lanes in their order.
  static R OrderPairs(R v) {
    const __m128i order = _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
#if defined(__AVX512BW__)
    return _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(order));
#else
    return _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(order));
#endif
  }

  // The greatest 16-bit lane: the least of eight without a sign is one instruction.
  static int32_t Greatest16(R v) {
#if defined(__AVX512BW__)
    const __m256i half = _mm256_max_epi16(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
#else
    const __m256i half = v;
#endif
    const __m128i eight = _mm_max_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    const __m128i least = _mm_minpos_epu16(_mm_xor_si128(eight, _mm_set1_epi16(INT16_MAX)));
    return static_cast<int16_t>(_mm_cvtsi128_si32(least) ^ INT16_MAX);
  }

#if defined(__AVX512BW__)
  static R Set64(int64_t v) { return _mm512_set1_epi64(v); }
  static R Load(const void* p) { return _mm512_loadu_si512(p); }
  static void Store(void* p, R v) { _mm512_storeu_si512(p, v); }
  static R And(R a, R b) { return _mm512_and_si512(a, b); }
  static int32_t Sum32(R v) { return _mm512_reduce_add_epi32(v); }
  static int64_t Sum64(R v) { return _mm512_reduce_add_epi64(v); }
  // For |v| <= 2^62.
  static R ShiftDown64(R v, R by) { return _mm512_srav_epi64(v, by); }
  // The high 32-bit lanes of two registers of 64-bit lanes, those of `even` in places 2k.
  static R High32(R even, R odd) { return _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB); }
  // 16-bit lanes of a pack of two registers next to each other in their order.
  static R OrderHalves(R v) { return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), v); }
  // 32-bit lanes 2k and 2k + 1 of two registers next to each other, and back.
  static void Split32(R& a, R& b) {
    const R evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const R first = a;
    a = _mm512_permutex2var_epi32(first, evens, b);
    b = _mm512_permutex2var_epi32(first, _mm512_add_epi32(evens, _mm512_set1_epi32(1)), b);
  }
  static void Join32(R& a, R& b) {
    const R firsts = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const R even = a;
    a = _mm512_permutex2var_epi32(even, firsts, b);
    b = _mm512_permutex2var_epi32(even, _mm512_add_epi32(firsts, _mm512_set1_epi32(8)), b);
  }

  // kCount 16-bit lanes of x from element i on, of which there are n; storage S is of 8 or 16 bits.
  template <int S>
  static R Load(const void* x, int64_t i, int64_t n) {
    if constexpr (S == 0) return _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8(Lanes32(n), At<S>(x) + i));
    return _mm512_maskz_loadu_epi16(Lanes32(n), At<S>(x) + i);
  }
  template <int S>
  static void Store(void* y, int64_t i, int64_t n, R v) {
    if constexpr (S == 0) {
      _mm256_mask_storeu_epi8(At<S>(y) + i, Lanes32(n), _mm512_cvtepi16_epi8(v));
    } else {
      _mm512_mask_storeu_epi16(At<S>(y) + i, Lanes32(n), v);
    }
  }
  // k32BitLanes of x alike, of 8 to 32 bits.
  template <int S>
  static R Load32(const void* x, int64_t i, int64_t n) {
    if constexpr (S == 0) return _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(Lanes16(n), At<S>(x) + i));
    if constexpr (S == 1) return _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(Lanes16(n), At<S>(x) + i));
    return _mm512_maskz_loadu_epi32(Lanes16(n), At<2>(x) + i);
  }
  static void Store32(void* y, int64_t i, int64_t n, R v) {
    _mm512_mask_storeu_epi32(At<2>(y) + i, Lanes16(n), v);
  }
  // Dword k is table[index], or 0 where index >= count < 2^31, both without a sign, or k >= n.
  static R Gather(const int32_t* table, R index, R count, int64_t n) {
    const __mmask16 inside = _mm512_mask_cmplt_epu32_mask(Lanes16(n), index, count);
    return _mm512_mask_i32gather_epi32(Zero(), inside, index, table, 4);
  }

 private:
  static __mmask32 Lanes32(int64_t n) {
    return n >= 32 ? ~__mmask32{0} : n <= 0 ? 0 : (__mmask32{1} << n) - 1;
  }
  static __mmask16 Lanes16(int64_t n) { return static_cast<__mmask16>(Lanes32(n)); }
#else
  static R Set64(int64_t v) { return _mm256_set1_epi64x(v); }
  static R Load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i_u*>(p)); }
  static void Store(void* p, R v) { _mm256_storeu_si256(static_cast<__m256i_u*>(p), v); }
  static R And(R a, R b) { return _mm256_and_si256(a, b); }
  static int32_t Sum32(R v) {
    int32_t lanes[8], sum = 0;
    Store(lanes, v);
    for (const int32_t lane : lanes) sum += lane;
    return sum;
  }
  static int64_t Sum64(R v) {
    int64_t lanes[4];
    Store(lanes, v);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
  }
  // There is no arithmetic shift of 64-bit lanes: a bias that makes v positive is taken away after it.
  static R ShiftDown64(R v, R by) {
    const R bias = Set64(int64_t{1} << 62);
    return _mm256_sub_epi64(_mm256_srlv_epi64(Add64(v, bias), by), _mm256_srlv_epi64(bias, by));
  }
  static R High32(R even, R odd) { return _mm256_blend_epi32(_mm256_shuffle_epi32(even, 0xf5), odd, 0xaa); }
  static R OrderHalves(R v) { return _mm256_permute4x64_epi64(v, 0xd8); }
  static void Split32(R& a, R& b) {
    const __m256 first = _mm256_castsi256_ps(a), last = _mm256_castsi256_ps(b);
    a = OrderHalves(_mm256_castps_si256(_mm256_shuffle_ps(first, last, 0x88)));
    b = OrderHalves(_mm256_castps_si256(_mm256_shuffle_ps(first, last, 0xdd)));
  }
  static void Join32(R& a, R& b) {
    const R low = _mm256_unpacklo_epi32(a, b), high = _mm256_unpackhi_epi32(a, b);
    a = _mm256_permute2x128_si256(low, high, 0x20);
    b = _mm256_permute2x128_si256(low, high, 0x31);
  }

  template <int S>
  static R Load(const void* x, int64_t i, int64_t n) {
    Element<S> padded[kCount];
    const auto* from = Whole<S>(x, i, n, kCount, padded);
    if constexpr (S == 0) return _mm256_cvtepi8_epi16(_mm_loadu_si128(static_cast<const __m128i_u*>(from)));
    return Load(from);
  }
  template <int S>
  static void Store(void* y, int64_t i, int64_t n, R v) {
    if constexpr (S == 0) v = OrderHalves(_mm256_packs_epi16(v, v));
    Element<S> lanes[2 * kCount];
    Store(n >= kCount && S == 1 ? static_cast<void*>(At<S>(y) + i) : lanes, v);
    if (S == 0 || n < kCount) {
      __builtin_memcpy(At<S>(y) + i, lanes, (n < kCount ? n : kCount) * sizeof(Element<S>));
    }
  }
  template <int S>
  static R Load32(const void* x, int64_t i, int64_t n) {
    Element<S> padded[k32BitLanes];
    const auto* from = Whole<S>(x, i, n, k32BitLanes, padded);
    if constexpr (S == 0) return _mm256_cvtepi8_epi32(_mm_loadl_epi64(static_cast<const __m128i_u*>(from)));
    if constexpr (S == 1) return _mm256_cvtepi16_epi32(_mm_loadu_si128(static_cast<const __m128i_u*>(from)));
    return Load(from);
  }
  static void Store32(void* y, int64_t i, int64_t n, R v) {
    if (n >= k32BitLanes) return Store(At<2>(y) + i, v);
    int32_t lanes[k32BitLanes];
    Store(lanes, v);
    if (n > 0) __builtin_memcpy(At<2>(y) + i, lanes, n * sizeof(int32_t));
  }
  static R Gather(const int32_t* table, R index, R count, int64_t n) {
    R inside = _mm256_cmpgt_epi32(count, _mm256_min_epu32(index, count));
    if (n < k32BitLanes) {
      inside = And(inside, _mm256_cmpgt_epi32(Set32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
    }
    return _mm256_mask_i32gather_epi32(Zero(), table, index, inside, 4);
  }

 private:
  // Where `count` elements from i on can be read: there, or a copy that ends with zeros.
  template <int S>
  static const void* Whole(const void* x, int64_t i, int64_t n, int64_t count, Element<S>* padded) {
    if (n >= count) return At<S>(x) + i;
    for (int64_t k = 0; k < count; ++k) padded[k] = k < n ? At<S>(x)[i + k] : Element<S>{0};
    return padded;
  }
#endif
};

#undef TALLY_MM
#undef TALLY_WHOLE

}  // namespace
}  // namespace tally::TALLY_ISA
#endif
