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

inline int32_t WrapSub32(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
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

[[maybe_unused]] Moments MomentsOf(const int32_t* x, int64_t n, int32_t origin, bool small) {
  int64_t sum = 0;
  uint64_t squares = 0;
  if (small) {
    for (int64_t start = 0; start < n; start += 1024) {
      const int64_t end = start + 1024 < n ? start + 1024 : n;
      int32_t part = 0;
      uint32_t part_squares = 0;
      for (int64_t i = start; i < end; ++i) {
        const int32_t d = WrapSub32(x[i], origin);
        part += d;
        part_squares += static_cast<uint32_t>(d * d);
      }
      sum += part;
      squares += part_squares;
    }
    return {sum, static_cast<int64_t>(squares)};
  }
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
  const int32_t m0 = a.m[0];
  const int64_t b0 = a.b[0];
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const auto d = static_cast<uint32_t>(WrapSub32(x[i], a.origin));
    const auto v = static_cast<int32_t>(d * static_cast<uint32_t>(a.length) - static_cast<uint32_t>(a.sum));
    const auto z = static_cast<int32_t>((int64_t{v} * a.r + a.root_half) >> a.root_shift);
    const int64_t scaled = WrapAdd(int64_t{z} * (kPerElement ? a.m[i] : m0), kPerElement ? a.b[i] : b0);
    y[i] = static_cast<int32_t>(Clamp(scaled >> a.shift, a.lo, a.hi) + a.zero_out);
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

void RespondTo(const ResponseArgs& args, const int64_t* squares, int64_t* y) {
  const ResponseArgs a = args;
  const int64_t *x = a.x, *mantissas = a.mantissas, *exponents = a.exponents;
  TALLY_SIMD
  for (int64_t i = 0; i < a.n * a.width; ++i) {
    const int64_t u = a.bias + a.alpha * squares[i], exponent = FloorLog2(static_cast<uint64_t>(u));
    const int64_t product = InterpolateOctave(u, exponent, mantissas) * exponents[exponent];
    const int64_t power = (product + (int64_t{1} << 30)) >> 31;
    y[i] = Clamp(((x[i] * power + a.half) >> a.shift) + a.zero_out, a.lo, a.hi);
  }
}

void Respond(const ResponseArgs& args, int64_t* squares, int64_t* y) {
  args.width == 1 ? SlideSquares<1>(args, squares) : SlideSquares<0>(args, squares);
  RespondTo(args, squares, y);
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

// The sum fits i32, as length times distance does.
Moments MomentsByWords(const int32_t* x, int64_t n, int32_t origin, bool) {
  const __m512i from = _mm512_set1_epi32(origin);
  __m512i sum = _mm512_setzero_si512(), even = sum, odd = sum;
  for (int64_t i = 0; i < n; i += 16) {
    const auto lanes = static_cast<__mmask16>(n - i >= 16 ? 0xffff : (1 << (n - i)) - 1);
    const __m512i d = _mm512_maskz_sub_epi32(lanes, _mm512_maskz_loadu_epi32(lanes, x + i), from);
    const __m512i second = _mm512_srli_epi64(d, 32);
    sum = _mm512_add_epi32(sum, d);
    even = _mm512_add_epi64(even, _mm512_mul_epi32(d, d));
    odd = _mm512_add_epi64(odd, _mm512_mul_epi32(second, second));
  }
  return {_mm512_reduce_add_epi32(sum), _mm512_reduce_add_epi64(_mm512_add_epi64(even, odd))};
}

// 32-bit factors, and a clamp of what is saturated to 32 bits: the compiler takes 64 for both.
template <bool kPerElement>
void NormalizeWords(const int32_t* x, int32_t* y, int64_t n, const NormArgs& args) {
  if (args.lo > INT32_MAX || args.hi < INT32_MIN) return Normalize<kPerElement>(x, y, n, args);
  const __m512i r = _mm512_set1_epi64(args.r), root_half = _mm512_set1_epi64(args.root_half);
  const __m128i root_shift = _mm_cvtsi64_si128(args.root_shift), shift = _mm_cvtsi64_si128(args.shift);
  const __m256i origin = _mm256_set1_epi32(args.origin), length = _mm256_set1_epi32(args.length),
                sum = _mm256_set1_epi32(args.sum),
                zero_out = _mm256_set1_epi32(static_cast<int32_t>(args.zero_out)),
                lo = _mm256_set1_epi32(static_cast<int32_t>(args.lo < INT32_MIN ? INT32_MIN : args.lo)),
                hi = _mm256_set1_epi32(static_cast<int32_t>(args.hi > INT32_MAX ? INT32_MAX : args.hi));
  for (int64_t i = 0; i < n; i += 8) {
    const auto lanes = static_cast<__mmask8>(n - i >= 8 ? 0xff : (1 << (n - i)) - 1);
    const __m256i d = _mm256_sub_epi32(_mm256_maskz_loadu_epi32(lanes, x + i), origin);
    const __m512i v = _mm512_cvtepi32_epi64(_mm256_sub_epi32(_mm256_mullo_epi32(d, length), sum));
    const __m512i z = _mm512_sra_epi64(_mm512_add_epi64(_mm512_mul_epi32(v, r), root_half), root_shift);
    const __m512i m = kPerElement ? _mm512_cvtepi32_epi64(_mm256_maskz_loadu_epi32(lanes, args.m + i))
                                  : _mm512_set1_epi64(args.m[0]);
    const __m512i b =
        kPerElement ? _mm512_maskz_loadu_epi64(lanes, args.b + i) : _mm512_set1_epi64(args.b[0]);
    const __m512i scaled = _mm512_sra_epi64(_mm512_add_epi64(_mm512_mul_epi32(z, m), b), shift);
    const __m256i placed = _mm256_min_epi32(_mm256_max_epi32(_mm512_cvtsepi64_epi32(scaled), lo), hi);
    _mm256_mask_storeu_epi32(y + i, lanes, _mm256_add_epi32(placed, zero_out));
  }
}

// Sixteen elements as even and odd products, the biases in that order. kHigh: behind a shift by 32 or more a result
// is a high word, which needs no saturation.
template <bool kHigh>
void NormalizePairs(const int32_t* x, int32_t* y, int64_t n, const NormArgs& args) {
  const __m512i r = _mm512_set1_epi64(args.r), root_half = _mm512_set1_epi64(args.root_half);
  const __m128i root_shift = _mm_cvtsi64_si128(args.root_shift),
                shift = _mm_cvtsi64_si128(args.shift - (kHigh ? 32 : 0));
  const int64_t least = args.lo < INT32_MIN ? INT32_MIN : args.lo,
                most = args.hi > INT32_MAX ? INT32_MAX : args.hi;
  const __m512i origin = _mm512_set1_epi32(args.origin), length = _mm512_set1_epi32(args.length),
                sum = _mm512_set1_epi32(args.sum),
                zero_out = _mm512_set1_epi32(static_cast<int32_t>(args.zero_out)),
                lo = kHigh ? _mm512_set1_epi32(static_cast<int32_t>(least)) : _mm512_set1_epi64(least),
                hi = kHigh ? _mm512_set1_epi32(static_cast<int32_t>(most)) : _mm512_set1_epi64(most);
  for (int64_t i = 0; i < n; i += 16) {
    const auto lanes = static_cast<__mmask16>(n - i >= 16 ? 0xffff : (1 << (n - i)) - 1);
    const __m512i d = _mm512_sub_epi32(_mm512_maskz_loadu_epi32(lanes, x + i), origin);
    const __m512i v = _mm512_sub_epi32(_mm512_mullo_epi32(d, length), sum);
    const __m512i m = _mm512_maskz_loadu_epi32(lanes, args.m + i);
    const auto scaled = [&](const __m512i& from, const __m512i& multiplier, const int64_t* b) {
      const __m512i z = _mm512_sra_epi64(_mm512_add_epi64(_mm512_mul_epi32(from, r), root_half), root_shift);
      return _mm512_add_epi64(_mm512_mul_epi32(z, multiplier), _mm512_loadu_si512(b));
    };
    const __m512i even = scaled(v, m, args.paired_b + i);
    const __m512i odd = scaled(_mm512_srli_epi64(v, 32), _mm512_srli_epi64(m, 32), args.paired_b + i + 8);
    __m512i placed;
    if (kHigh) {
      const __m512i high = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
      placed = _mm512_min_epi32(_mm512_max_epi32(_mm512_sra_epi32(high, shift), lo), hi);
    } else {
      const __m512i first = _mm512_min_epi64(_mm512_max_epi64(_mm512_sra_epi64(even, shift), lo), hi),
                    second = _mm512_min_epi64(_mm512_max_epi64(_mm512_sra_epi64(odd, shift), lo), hi);
      placed = _mm512_mask_blend_epi32(0xaaaa, first, _mm512_slli_epi64(second, 32));
    }
    _mm512_mask_storeu_epi32(y + i, lanes, _mm512_add_epi32(placed, zero_out));
  }
}

void NormalizeElements(const int32_t* x, int32_t* y, int64_t n, const NormArgs& args) {
  if (args.lo > INT32_MAX || args.hi < INT32_MIN) return Normalize<true>(x, y, n, args);
  args.shift >= 32 ? NormalizePairs<true>(x, y, n, args) : NormalizePairs<false>(x, y, n, args);
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
    MomentsByWords,
    {NormalizeWords<false>, NormalizeElements},
    Respond,
    RespondTo,
    {{SoftmaxRows<0, 0>, SoftmaxRows<0, 1>}, {SoftmaxRows<1, 0>, SoftmaxRows<1, 1>}},
#else
    {Scale<uint64_t>, Scale<uint32_t>},
    Logarithms,
    MomentsOf,
    {Normalize<false>, Normalize<true>},
    Respond,
    RespondTo,
    {},
#endif
};

}  // namespace tally::TALLY_ISA
