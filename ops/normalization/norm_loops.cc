#include "ops/normalization/norm_loops.h"

#include "ops/simd/element.h"
#include "ops/simd/rounding.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

namespace tally::TALLY_ISA {
namespace {

inline int32_t WrapSub32(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}

Moments MomentsOf(const int32_t* x, int64_t n, int32_t origin) {
  int64_t sum = 0;
  uint64_t squares = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int32_t d = WrapSub32(x[i], origin);
    sum += d;
    squares += static_cast<uint64_t>(int64_t{d} * d);
  }
  return {sum, static_cast<int64_t>(squares)};
}

template <bool kPerElement>
void Normalize(const int32_t* x, int32_t* y, int64_t n, const NormArgs& args) {
  const NormArgs a = args;
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const auto d = static_cast<uint32_t>(WrapSub32(x[i], a.origin));
    const auto v = static_cast<int32_t>(d * static_cast<uint32_t>(a.length) - static_cast<uint32_t>(a.sum));
    const auto z = static_cast<int32_t>((int64_t{v} * a.r + a.root_half) >> a.root_shift);
    const auto m = static_cast<int32_t>(a.m[kPerElement ? i : 0]);
    const int64_t scaled = WrapAdd(int64_t{z} * m, a.b[kPerElement ? i : 0]) >> a.shift;
    const int64_t raised = scaled < a.lo ? a.lo : scaled;
    y[i] = static_cast<int32_t>((raised > a.hi ? a.hi : raised) + a.zero_out);
  }
}

#if defined(__AVX512BW__)

inline __mmask32 Lanes(int64_t n) { return n >= 32 ? ~__mmask32{0} : (__mmask32{1} << n) - 1; }

// 32 elements below 32 bits as words.
template <int S>
inline __m512i LoadWords(const void* x, int64_t i, __mmask32 lanes) {
  if constexpr (S == 0) return _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8(lanes, At<S>(x) + i));
  return _mm512_maskz_loadu_epi16(lanes, At<S>(x) + i);
}

// Products of words next to each other need no conversion. Their sums have 31 bits, without a sign; as many as 32 bits
// hold are added before they are widened.
template <int S>
Moments DenseMoments(const void* x, int64_t n, int32_t, int64_t square) {
  const __m512i ones = _mm512_set1_epi16(1), low = _mm512_set1_epi64(UINT32_MAX);
  const int64_t part = 32 * (square == 0 ? n : UINT32_MAX / (2 * square));  // elements
  __m512i sum = _mm512_setzero_si512(), even = sum, odd = sum;
  for (int64_t start = 0; start < n; start += part) {
    const int64_t end = n - start < part ? n : start + part;
    __m512i squares = _mm512_setzero_si512();
    const auto add = [&](int64_t i, __mmask32 lanes) {
      const __m512i v = LoadWords<S>(x, i, lanes);
      squares = _mm512_add_epi32(squares, _mm512_madd_epi16(v, v));
      sum = _mm512_add_epi32(sum, _mm512_madd_epi16(v, ones));
    };
    int64_t i = start;
    for (; i + 32 <= end; i += 32) add(i, ~__mmask32{0});
    if (i < end) add(i, Lanes(end - i));
    even = _mm512_add_epi64(even, _mm512_and_si512(squares, low));
    odd = _mm512_add_epi64(odd, _mm512_srli_epi64(squares, 32));
  }
  return {_mm512_reduce_add_epi32(sum), _mm512_reduce_add_epi64(_mm512_add_epi64(even, odd))};
}

// The sum fits i32, as length times distance does.
template <>
Moments DenseMoments<2>(const void* x, int64_t n, int32_t origin, int64_t) {
  const __m512i from = _mm512_set1_epi32(origin);
  __m512i sum = _mm512_setzero_si512(), even = sum, odd = sum;
  for (int64_t i = 0; i < n; i += 16) {
    const auto lanes = static_cast<__mmask16>(Lanes(n - i));
    const __m512i d = _mm512_maskz_sub_epi32(lanes, _mm512_maskz_loadu_epi32(lanes, At<2>(x) + i), from);
    const __m512i second = _mm512_srli_epi64(d, 32);
    sum = _mm512_add_epi32(sum, d);
    even = _mm512_add_epi64(even, _mm512_mul_epi32(d, d));
    odd = _mm512_add_epi64(odd, _mm512_mul_epi32(second, second));
  }
  return {_mm512_reduce_add_epi32(sum), _mm512_reduce_add_epi64(_mm512_add_epi64(even, odd))};
}

// Words of even and of odd places as dwords, which a product with a word that has a zero beside it makes of them; their
// products with r are those of even dwords and of odd ones, 64 bits each. The high dword of what is added up is the
// result but for a shift.
template <int X, int Y>
void DenseNormalize(const void* x, void* y, int64_t n, const NormArgs& args) {
  const NormArgs a = args;
  const auto least = static_cast<int32_t>(a.lo < INT32_MIN ? INT32_MIN : a.lo),
             most = static_cast<int32_t>(a.hi > INT32_MAX ? INT32_MAX : a.hi),
             zero = static_cast<int32_t>(a.zero_out);
  // Below 32 bits, length * x and sum have 31 bits, and their products with r 62.
  const int64_t addend = X < 2 ? a.root_half - int64_t{a.sum} * a.r : a.root_half;
  const __m512i low_length = _mm512_set1_epi32(a.length), high_length = _mm512_slli_epi32(low_length, 16),
                origin = _mm512_set1_epi32(a.origin), sum = _mm512_set1_epi32(a.sum),
                r = _mm512_set1_epi64(a.r), root_addend = _mm512_set1_epi64(addend),
                root_shift = _mm512_set1_epi64(a.root_shift),
                shift = _mm512_set1_epi32(static_cast<int32_t>(a.shift - 32));
  const __m512i in_order =
      _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
  const __m512i evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
                odds = _mm512_add_epi32(evens, _mm512_set1_epi32(1));
  const __m512i firsts = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
                lasts = _mm512_add_epi32(firsts, _mm512_set1_epi32(8));
  const int64_t* m = a.m;
  const int64_t* b = a.b;
  const int64_t step = a.per_element ? 32 : 0;
  const auto block = [&](int64_t i, __mmask32 lanes) {
    __m512i even, odd;
    if constexpr (X < 2) {
      const __m512i v = LoadWords<X>(x, i, lanes);
      even = _mm512_madd_epi16(v, low_length);
      odd = _mm512_madd_epi16(v, high_length);
    } else {
      const __m512i first = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(lanes), At<X>(x) + i),
                    last = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(lanes >> 16), At<X>(x) + i + 16);
      const auto spread = [&](__m512i& v) {
        v = _mm512_sub_epi32(_mm512_mullo_epi32(_mm512_sub_epi32(v, origin), low_length), sum);
      };
      even = _mm512_permutex2var_epi32(first, evens, last);
      odd = _mm512_permutex2var_epi32(first, odds, last);
      spread(even);
      spread(odd);
    }
    // The results of 16 elements; group k of m and b is that of the even dwords.
    const auto finish = [&](const __m512i& v, int k) -> __m512i {
      const __m512i first = _mm512_mul_epi32(v, r), second = _mm512_mul_epi32(_mm512_srli_epi64(v, 32), r);
      const __m512i z0 = _mm512_srav_epi64(_mm512_add_epi64(first, root_addend), root_shift),
                    z1 = _mm512_srav_epi64(_mm512_add_epi64(second, root_addend), root_shift);
      const __m512i p0 = _mm512_add_epi64(_mm512_mul_epi32(z0, _mm512_loadu_si512(m + 8 * k)),
                                          _mm512_loadu_si512(b + 8 * k)),
                    p1 = _mm512_add_epi64(_mm512_mul_epi32(z1, _mm512_loadu_si512(m + 8 * k + 8)),
                                          _mm512_loadu_si512(b + 8 * k + 8));
      const __m512i high = _mm512_mask_shuffle_epi32(p1, 0x5555, p0, _MM_PERM_DDBB);
      return _mm512_srav_epi32(high, shift);
    };
    even = finish(even, 0);
    odd = finish(odd, 2);
    if constexpr (Y == 2) {
      const auto place = [&](__m512i& v) {
        v = _mm512_min_epi32(_mm512_max_epi32(v, _mm512_set1_epi32(least)), _mm512_set1_epi32(most));
        v = _mm512_add_epi32(v, _mm512_set1_epi32(zero));
      };
      place(even);
      place(odd);
      _mm512_mask_storeu_epi32(At<Y>(y) + i, static_cast<__mmask16>(lanes),
                               _mm512_permutex2var_epi32(even, firsts, odd));
      _mm512_mask_storeu_epi32(At<Y>(y) + i + 16, static_cast<__mmask16>(lanes >> 16),
                               _mm512_permutex2var_epi32(even, lasts, odd));
    } else {
      // What is saturated to words here is clamped within them.
      const __m512i words = _mm512_shuffle_epi8(_mm512_packs_epi32(even, odd), in_order);
      const __m512i raised = _mm512_max_epi16(words, _mm512_set1_epi16(static_cast<int16_t>(least)));
      const __m512i clamped = _mm512_min_epi16(raised, _mm512_set1_epi16(static_cast<int16_t>(most)));
      const __m512i placed = _mm512_add_epi16(clamped, _mm512_set1_epi16(static_cast<int16_t>(zero)));
      if constexpr (Y == 1) {
        _mm512_mask_storeu_epi16(At<Y>(y) + i, lanes, placed);
      } else {
        _mm256_mask_storeu_epi8(At<Y>(y) + i, lanes, _mm512_cvtepi16_epi8(placed));
      }
    }
    m += step;
    b += step;
  };
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) block(i, ~__mmask32{0});
  if (i < n) block(i, Lanes(n - i));
}

#endif

}  // namespace

const NormLoops kNormLoops = {
    MomentsOf,
    {Normalize<false>, Normalize<true>},
#if defined(__AVX512BW__)
    {DenseMoments<0>, DenseMoments<1>, DenseMoments<2>},
    {{DenseNormalize<0, 0>, DenseNormalize<0, 1>, DenseNormalize<0, 2>},
     {DenseNormalize<1, 0>, DenseNormalize<1, 1>, DenseNormalize<1, 2>},
     {DenseNormalize<2, 0>, DenseNormalize<2, 1>, DenseNormalize<2, 2>}},
#else
    {},
    {},
#endif
};

}  // namespace tally::TALLY_ISA
