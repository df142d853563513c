#include "ops/normalization/normalization_loops.h"

#include "ops/simd/element.h"
#include "ops/simd/octave.h"
#include "ops/simd/rounding.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

namespace tally::TALLY_ISA {
namespace {

inline int64_t Clamp(int64_t v, int64_t lo, int64_t hi) {
  const int64_t raised = v < lo ? lo : v;
  return raised > hi ? hi : raised;
}

int32_t Max(const int32_t* x, int64_t n) {
  int32_t max = x[0];
  for (int64_t i = 1; i < n; ++i) max = x[i] > max ? x[i] : max;
  return max;
}

// Every lane reads an entry, the last one where its own lies behind the end; a mask then makes that 0.
template <int T>
[[maybe_unused]] int64_t Exponentials(const int32_t* x, int64_t n, int32_t max, const void* table_bytes,
                                      int64_t entries, int32_t* e) {
  const auto* table = At<T>(table_bytes);
  const auto count = static_cast<uint32_t>(entries);
  int64_t sum = 0;
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t distance = static_cast<uint32_t>(max) - static_cast<uint32_t>(x[i]);
    const uint32_t index = distance < count ? distance : count - 1;
    const auto entry = static_cast<int32_t>(table[static_cast<int32_t>(index)]);
    const int32_t v = distance < count ? entry : 0;
    e[i] = v;
    sum += v;
  }
  return sum;
}

template <typename Reciprocal>
void Scale(const int32_t* e, int32_t* y, int64_t n, uint64_t r, int64_t shift, int64_t lo, int64_t hi,
           int64_t zero_out) {
  const auto reciprocal = static_cast<Reciprocal>(r);
  const uint64_t half = shift == 0 ? 0 : uint64_t{1} << (shift - 1);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t product = uint64_t{static_cast<uint32_t>(e[i])} * reciprocal;
    y[i] = static_cast<int32_t>(Clamp(static_cast<int64_t>((product + half) >> shift), lo, hi) + zero_out);
  }
}

void Logarithms(const int32_t* x, int32_t* y, int64_t n, int32_t max, int64_t m, int64_t b, int64_t shift,
                int64_t lo, int64_t hi, int64_t zero_out) {
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const int64_t exact = WrapAdd(WrapMul(int64_t{x[i]} - max, m), b);
    y[i] = static_cast<int32_t>(Clamp(exact >> shift, lo, hi) + zero_out);
  }
}

// sums[i, w] = the sum of the squares of x[i - before .. i + after, w]. kWidth: the width, or 0.
template <int64_t kWidth>
void SlideSquares(const ResponseArgs& args, int64_t* sums) {
  const ResponseArgs a = args;
  const int64_t width = kWidth == 0 ? a.width : kWidth;
  const auto square = [&](int64_t i, int64_t w) {
    return i >= 0 && i < a.n ? a.x[i * width + w] * a.x[i * width + w] : 0;
  };
  for (int64_t w = 0; w < width; ++w) {
    sums[w] = 0;
    for (int64_t k = 0; k <= a.after && k < a.n; ++k) sums[w] += square(k, w);
  }
  for (int64_t i = 1; i < a.n; ++i) {
    TALLY_SIMD
    for (int64_t w = 0; w < width; ++w) {
      sums[i * width + w] = sums[(i - 1) * width + w] + square(i + a.after, w) - square(i - a.before - 1, w);
    }
  }
}

void Respond(const ResponseArgs& args, int64_t* squares, int64_t* y) {
  const ResponseArgs a = args;
  a.width == 1 ? SlideSquares<1>(a, squares) : SlideSquares<0>(a, squares);
  const int64_t *x = a.x, *mantissas = a.mantissas, *exponents = a.exponents;
  TALLY_SIMD
  for (int64_t i = 0; i < a.n * a.width; ++i) {
    const int64_t u = a.bias + a.alpha * squares[i], exponent = FloorLog2(static_cast<uint64_t>(u));
    const int64_t product = InterpolateOctave(u, exponent, mantissas) * exponents[exponent];
    const int64_t power = (product + (int64_t{1} << 30)) >> 31;
    y[i] = Clamp(((x[i] * power + a.half) >> a.shift) + a.zero_out, a.lo, a.hi);
  }
}

#if defined(__AVX512BW__)

// Lanes behind the end of the table are masked out of the gather, which the compiler does not do by itself.
int64_t ExponentialsByGather(const int32_t* x, int64_t n, int32_t max, const void* table, int64_t entries,
                             int32_t* e) {
  const __m512i count = _mm512_set1_epi32(static_cast<int32_t>(entries)), most = _mm512_set1_epi32(max);
  __m512i sums = _mm512_setzero_si512();
  for (int64_t i = 0; i < n; i += 16) {
    const auto lanes = static_cast<__mmask16>(n - i >= 16 ? 0xffff : (1 << (n - i)) - 1);
    const __m512i distance = _mm512_sub_epi32(most, _mm512_maskz_loadu_epi32(lanes, x + i));
    const __mmask16 inside = _mm512_mask_cmplt_epu32_mask(lanes, distance, count);
    const __m512i v = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), inside, distance, table, 4);
    _mm512_mask_storeu_epi32(e + i, lanes, v);
    sums = _mm512_add_epi64(sums, _mm512_cvtepi32_epi64(_mm512_castsi512_si256(v)));
    sums = _mm512_add_epi64(sums, _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(v, 1)));
  }
  return _mm512_reduce_add_epi64(sums);
}

// Products of even and of odd lanes; behind a shift by 32 or more only their high words matter.
void ScaleWords(const int32_t* e, int32_t* y, int64_t n, uint64_t r, int64_t shift, int64_t lo, int64_t hi,
                int64_t zero_out) {
  if (lo > INT32_MAX || hi < INT32_MIN || shift < 32)
    return Scale<uint32_t>(e, y, n, r, shift, lo, hi, zero_out);
  const __m512i reciprocal = _mm512_set1_epi64(static_cast<int64_t>(r)),
                half = _mm512_set1_epi64(int64_t{1} << (shift - 1)),
                least = _mm512_set1_epi32(static_cast<int32_t>(lo < INT32_MIN ? INT32_MIN : lo)),
                most = _mm512_set1_epi32(static_cast<int32_t>(hi > INT32_MAX ? INT32_MAX : hi)),
                zero = _mm512_set1_epi32(static_cast<int32_t>(zero_out));
  const __m128i rest = _mm_cvtsi64_si128(shift - 32);
  for (int64_t i = 0; i < n; i += 16) {
    const auto lanes = static_cast<__mmask16>(n - i >= 16 ? 0xffff : (1 << (n - i)) - 1);
    const __m512i v = _mm512_maskz_loadu_epi32(lanes, e + i);
    const __m512i even = _mm512_add_epi64(_mm512_mul_epu32(v, reciprocal), half);
    const __m512i odd = _mm512_add_epi64(_mm512_mul_epu32(_mm512_srli_epi64(v, 32), reciprocal), half);
    const __m512i high = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
    const __m512i q = _mm512_srl_epi32(high, rest);
    const __m512i placed = _mm512_min_epi32(_mm512_max_epi32(q, least), most);
    _mm512_mask_storeu_epi32(y + i, lanes, _mm512_add_epi32(placed, zero));
  }
}

template <int S>
__m512i LoadWords(const void* x, int64_t i, __mmask16 lanes) {
  if constexpr (S == 0) return _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(lanes, At<S>(x) + i));
  return _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(lanes, At<S>(x) + i));
}

template <int S>
void StoreWords(void* y, int64_t i, __mmask16 lanes, __m512i v) {
  if constexpr (S == 0) {
    _mm_mask_storeu_epi8(At<S>(y) + i, lanes, _mm512_cvtepi32_epi8(v));
  } else {
    _mm256_mask_storeu_epi16(At<S>(y) + i, lanes, _mm512_cvtepi32_epi16(v));
  }
}

// Whole rows, from their storage and to it: the greatest, the gathered exponentials, one division, the products.
template <int X, int Y>
void SoftmaxRows(const SoftmaxArgs& args) {
  const SoftmaxArgs a = args;
  const int64_t n = a.length, shift = a.shift;
  const auto lanes_at = [n](int64_t i) {
    return static_cast<__mmask16>(n - i >= 16 ? 0xffff : (1 << (n - i)) - 1);
  };
  const __m512i count = _mm512_set1_epi32(static_cast<int32_t>(a.entries)),
                half = _mm512_set1_epi64(int64_t{1} << (shift - 1)),
                least = _mm512_set1_epi32(static_cast<int32_t>(a.lo < INT32_MIN ? INT32_MIN : a.lo)),
                most = _mm512_set1_epi32(static_cast<int32_t>(a.hi > INT32_MAX ? INT32_MAX : a.hi)),
                zero = _mm512_set1_epi32(static_cast<int32_t>(a.zero_out)),
                lowest = _mm512_set1_epi32(INT32_MIN);
  const __m128i rest = _mm_cvtsi64_si128(shift - 32);
  const auto* x = At<X>(a.x);
  auto* y = At<Y>(a.y);
  for (int64_t row = 0; row < a.rows; ++row, x += n, y += n) {
    __m512i greatest = lowest;
    for (int64_t i = 0; i < n; i += 16) {
      const __mmask16 lanes = lanes_at(i);
      greatest = _mm512_mask_max_epi32(greatest, lanes, greatest, LoadWords<X>(x, i, lanes));
    }
    const __m512i max = _mm512_set1_epi32(_mm512_reduce_max_epi32(greatest));
    __m512i even_sums = _mm512_setzero_si512(), odd_sums = even_sums;
    for (int64_t i = 0; i < n; i += 16) {
      const __mmask16 lanes = lanes_at(i);
      const __m512i distance = _mm512_sub_epi32(max, LoadWords<X>(x, i, lanes));
      const __mmask16 inside = _mm512_mask_cmplt_epu32_mask(lanes, distance, count);
      const __m512i v = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), inside, distance, a.table, 4);
      _mm512_storeu_si512(a.e + i, v);
      even_sums = _mm512_add_epi64(even_sums, _mm512_maskz_mov_epi32(0x5555, v));
      odd_sums = _mm512_add_epi64(odd_sums, _mm512_srli_epi64(v, 32));
    }
    const auto sum = static_cast<uint64_t>(_mm512_reduce_add_epi64(_mm512_add_epi64(even_sums, odd_sums)));
    const __m512i r = _mm512_set1_epi64(static_cast<int64_t>(((uint64_t{1} << 61) + (sum >> 1)) / sum));
    for (int64_t i = 0; i < n; i += 16) {
      const __m512i v = _mm512_loadu_si512(a.e + i);
      const __m512i even = _mm512_add_epi64(_mm512_mul_epu32(v, r), half);
      const __m512i odd = _mm512_add_epi64(_mm512_mul_epu32(_mm512_srli_epi64(v, 32), r), half);
      const __m512i high = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
      const __m512i q = _mm512_srl_epi32(high, rest);
      const __m512i placed = _mm512_min_epi32(_mm512_max_epi32(q, least), most);
      StoreWords<Y>(y, i, lanes_at(i), _mm512_add_epi32(placed, zero));
    }
  }
}

#endif

}  // namespace

const NormalizationLoops kNormalizationLoops = {
    Max,
#if defined(__AVX512BW__)
    {Exponentials<0>, Exponentials<1>, ExponentialsByGather},
#else
    {Exponentials<0>, Exponentials<1>, Exponentials<2>},
#endif
#if defined(__AVX512BW__)
    {Scale<uint64_t>, ScaleWords},
    Logarithms,
    Respond,
    {{SoftmaxRows<0, 0>, SoftmaxRows<0, 1>}, {SoftmaxRows<1, 0>, SoftmaxRows<1, 1>}},
#else
    {Scale<uint64_t>, Scale<uint32_t>},
    Logarithms,
    Respond,
    {},
#endif
};

}  // namespace tally::TALLY_ISA
