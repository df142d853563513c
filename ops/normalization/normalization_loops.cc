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

inline __mmask16 Lanes(int64_t n) { return static_cast<__mmask16>(n >= 16 ? 0xffff : (1 << n) - 1); }

// The greatest of n bytes or words, as they lie.
template <int S>
int32_t Greatest(const typename ElementTypes<S>::Loose* x, int64_t n) {
  constexpr int64_t kLanes = 64 / sizeof(Element<S>);
  __m512i best = S == 0 ? _mm512_set1_epi8(INT8_MIN) : _mm512_set1_epi16(INT16_MIN);
  const auto raise = [&](const __m512i& v) {
    best = S == 0 ? _mm512_max_epi8(best, v) : _mm512_max_epi16(best, v);
  };
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) raise(_mm512_loadu_si512(x + i));
  if (i < n) {
    const uint64_t lanes = (uint64_t{1} << (n - i)) - 1;
    raise(S == 0 ? _mm512_mask_loadu_epi8(best, lanes, x + i)
                 : _mm512_mask_loadu_epi16(best, static_cast<__mmask32>(lanes), x + i));
  }
  __m512i words = best;
  if (S == 0)
    words = _mm512_max_epi16(_mm512_srai_epi16(best, 8), _mm512_srai_epi16(_mm512_slli_epi16(best, 8), 8));
  const __m256i half = _mm256_max_epi16(_mm512_castsi512_si256(words), _mm512_extracti64x4_epi64(words, 1));
  const __m128i eight = _mm_max_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  // The least of eight words without sign is one instruction.
  const __m128i least = _mm_minpos_epu16(_mm_xor_si128(eight, _mm_set1_epi16(INT16_MAX)));
  return static_cast<int16_t>(_mm_cvtsi128_si32(least) ^ INT16_MAX);
}

// The exponentials of a row, and their sum. Three of them have 32 bits together.
template <int S>
int64_t GatherExponentials(const typename ElementTypes<S>::Loose* x, int32_t max, const ExponentialArgs& a,
                           int32_t* exponentials) {
  const int64_t n = a.length;
  const __m512i count = _mm512_set1_epi32(static_cast<int32_t>(a.entries)), most = _mm512_set1_epi32(max),
                low = _mm512_set1_epi64(UINT32_MAX);
  __m512i sums = _mm512_setzero_si512(), three = sums;
  const auto gather = [&](int64_t i, __mmask16 lanes) {
    __m512i v;
    if constexpr (S == 0) {
      v = _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(lanes, x + i));
    } else {
      v = _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(lanes, x + i));
    }
    const __m512i distance = _mm512_sub_epi32(most, v);
    const __mmask16 inside = _mm512_mask_cmplt_epu32_mask(lanes, distance, count);
    const __m512i e = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), inside, distance, a.table, 4);
    _mm512_storeu_si512(exponentials + i, e);
    three = _mm512_add_epi32(three, e);
  };
  const auto widen = [&] {
    sums =
        _mm512_add_epi64(sums, _mm512_add_epi64(_mm512_and_si512(three, low), _mm512_srli_epi64(three, 32)));
    three = _mm512_setzero_si512();
  };
  int64_t i = 0;
  for (; i + 48 <= n; i += 48) {
    for (int64_t k = 0; k < 48; k += 16) gather(i + k, 0xffff);
    widen();
  }
  for (; i < n; i += 16) gather(i, Lanes(n - i));
  widen();
  return _mm512_reduce_add_epi64(sums);
}

template <int X>
void DenseExponentials(const ExponentialArgs& args) {
  const ExponentialArgs a = args;
  const int64_t room = (a.length + 31) / 32 * 32;
  const auto* x = At<X>(a.x);
  for (int64_t k = 0; k < a.rows; ++k) a.greatest[k] = Greatest<X>(x + k * a.length, a.length);
  for (int64_t k = 0; k < a.rows; ++k) {
    a.sums[k] = GatherExponentials<X>(x + k * a.length, a.greatest[k], a, a.e + k * room);
  }
}

// The last step of 32 elements.
struct WordClamp {
  __m512i lo, hi, zero_out;

  explicit WordClamp(const WordArgs& args)
      : lo(_mm512_set1_epi16(static_cast<int16_t>(args.lo))),
        hi(_mm512_set1_epi16(static_cast<int16_t>(args.hi))),
        zero_out(_mm512_set1_epi16(static_cast<int16_t>(args.zero_out))) {}

  template <int Y>
  void Store(void* y, int64_t i, __mmask32 lanes, const __m512i& words) const {
    const __m512i placed = _mm512_add_epi16(_mm512_min_epi16(_mm512_max_epi16(words, lo), hi), zero_out);
    if constexpr (Y == 1) {
      _mm512_mask_storeu_epi16(At<Y>(y) + i, lanes, placed);
    } else {
      _mm256_mask_storeu_epi8(At<Y>(y) + i, lanes, _mm512_cvtepi16_epi8(placed));
    }
  }
};

// Half a unit is a multiple of 2^32, so that only the high dwords of products matter.
template <int Y>
void DenseScale(const int32_t* e, void* y, int64_t n, uint32_t r, const WordArgs& args) {
  const WordClamp clamp(args);
  const __m512i reciprocal = _mm512_set1_epi64(r), half = _mm512_set1_epi32(1 << (args.shift - 33)),
                shift = _mm512_set1_epi32(static_cast<int32_t>(args.shift - 32)),
                in_order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  const auto scale = [&](int64_t i) -> __m512i {
    const __m512i v = _mm512_loadu_si512(e + i), even = _mm512_mul_epu32(v, reciprocal),
                  odd = _mm512_mul_epu32(_mm512_srli_epi64(v, 32), reciprocal);
    const __m512i high = _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
    return _mm512_srlv_epi32(_mm512_add_epi32(high, half), shift);
  };
  const auto block = [&](int64_t i, __mmask32 lanes) {
    const __m512i words = _mm512_packs_epi32(scale(i), scale(i + 16));
    clamp.Store<Y>(y, i, lanes, _mm512_permutexvar_epi64(in_order, words));
  };
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) block(i, ~__mmask32{0});
  if (i < n) block(i, (__mmask32{1} << (n - i)) - 1);
}

// Words as dwords by the product with one that has a zero beside it, those of even places and of odd ones.
template <int X, int Y>
void DenseLogarithms(const void* x, void* y, int64_t n, int32_t m, int64_t b, const WordArgs& args) {
  const WordClamp clamp(args);
  const __m512i multiplier = _mm512_set1_epi64(m), addend = _mm512_set1_epi64(b), low = _mm512_set1_epi32(1),
                high = _mm512_set1_epi32(1 << 16),
                shift = _mm512_set1_epi32(static_cast<int32_t>(args.shift - 32)),
                in_order = _mm512_broadcast_i32x4(
                    _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
  const auto scale = [&](const __m512i& v) -> __m512i {
    const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(v, multiplier), addend),
                  odd = _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(v, 32), multiplier), addend);
    return _mm512_srav_epi32(_mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB), shift);
  };
  const auto block = [&](int64_t i, __mmask32 lanes) {
    __m512i v;
    if constexpr (X == 0) {
      v = _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8(lanes, At<X>(x) + i));
    } else {
      v = _mm512_maskz_loadu_epi16(lanes, At<X>(x) + i);
    }
    const __m512i words =
        _mm512_packs_epi32(scale(_mm512_madd_epi16(v, low)), scale(_mm512_madd_epi16(v, high)));
    clamp.Store<Y>(y, i, lanes, _mm512_shuffle_epi8(words, in_order));
  };
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) block(i, ~__mmask32{0});
  if (i < n) block(i, (__mmask32{1} << (n - i)) - 1);
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
    {DenseExponentials<0>, DenseExponentials<1>},
    {DenseScale<0>, DenseScale<1>},
    {{DenseLogarithms<0, 0>, DenseLogarithms<0, 1>}, {DenseLogarithms<1, 0>, DenseLogarithms<1, 1>}},
#else
    {Scale<uint64_t>, Scale<uint32_t>},
    Logarithms,
    Respond,
    {},
    {},
    {},
#endif
};

}  // namespace tally::TALLY_ISA
