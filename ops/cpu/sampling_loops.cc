#include "ops/cpu/sampling_loops.h"

#include "ops/cpu/element.h"
#include "ops/cpu/rounding.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace tally::TALLY_ISA {
namespace {

#if defined(__AVX512BW__)
using Qwords = __m512i;
#define TALLY_QWORDS(name) _mm512_##name
#define TALLY_WHOLE(name) _mm512_##name##_si512
#elif defined(__AVX2__)
using Qwords = __m256i;
#define TALLY_QWORDS(name) _mm256_##name
#define TALLY_WHOLE(name) _mm256_##name##_si256
#endif

#if defined(__AVX2__)
constexpr int64_t kQwords = sizeof(Qwords) / 8;

#if defined(__AVX512BW__)
inline Qwords Broadcast(int64_t v) { return _mm512_set1_epi64(v); }
inline Qwords SignOf(Qwords v) { return _mm512_srai_epi64(v, 63); }
#else
inline Qwords Broadcast(int64_t v) { return _mm256_set1_epi64x(v); }
inline Qwords SignOf(Qwords v) { return _mm256_cmpgt_epi64(_mm256_setzero_si256(), v); }
#endif

// Conversions by name: of vectors shorter than a register GCC 12 takes the elements one by one.
template <int S>
Qwords Widened(const void* x) {
  const auto* from = static_cast<const __m128i_u*>(x);
#if defined(__AVX512BW__)
  if constexpr (S == 0) return _mm512_cvtepi8_epi64(_mm_loadl_epi64(from));
  if constexpr (S == 1) return _mm512_cvtepi16_epi64(_mm_loadu_si128(from));
  return _mm512_cvtepi32_epi64(_mm256_loadu_si256(static_cast<const __m256i_u*>(x)));
#else
  if constexpr (S == 0) return _mm256_cvtepi8_epi64(_mm_loadu_si32(from));
  if constexpr (S == 1) return _mm256_cvtepi16_epi64(_mm_loadl_epi64(from));
  return _mm256_cvtepi32_epi64(_mm_loadu_si128(from));
#endif
}

// A register of channels at a time, whose taps are products of 32 bits. Gives how many channels are done.
template <int S>
int64_t SumQwords(const TapsArgs& a, int64_t* sums) {
  for (int64_t k = 0; k < a.taps; ++k) {
    if (a.weights[k] < INT32_MIN || a.weights[k] > INT32_MAX) return 0;
  }
  int64_t c = 0;
  for (; c + kQwords <= a.channels; c += kQwords) {
    Qwords sum;
    __builtin_memcpy(&sum, sums + c, sizeof(sum));
    for (int64_t k = 0; k < a.taps; ++k) {
      const Qwords x = Widened<S>(At<S>(a.x) + a.places[k] + c);
      sum = TALLY_QWORDS(add_epi64)(sum, TALLY_QWORDS(mul_epi32)(x, Broadcast(a.weights[k])));
    }
    __builtin_memcpy(sums + c, &sum, sizeof(sum));
  }
  return c;
}

// The high half of a product of 128 bits.
struct HighProduct {
  Qwords low, high, mask = Broadcast(UINT32_MAX);

  explicit HighProduct(uint64_t factor)
      : low(Broadcast(static_cast<int64_t>(factor & UINT32_MAX))),
        high(Broadcast(static_cast<int64_t>(factor >> 32))) {}

  Qwords operator()(Qwords v) const {
    const auto upper = [](Qwords x) { return TALLY_QWORDS(srli_epi64)(x, 32); };
    const auto add = [](Qwords x, Qwords y) { return TALLY_QWORDS(add_epi64)(x, y); };
    const auto mul = [](Qwords x, Qwords y) { return TALLY_QWORDS(mul_epu32)(x, y); };
    const Qwords top = upper(v), first = add(mul(v, high), upper(mul(v, low))),
                 second = add(mul(top, low), TALLY_WHOLE(and)(first, mask));
    return add(mul(top, high), add(upper(first), upper(second)));
  }
};

template <int S>
void StoreNarrowed(Qwords v, typename ElementTypes<S>::Loose* y, int64_t stride) {
#if defined(__AVX512BW__)
  constexpr __mmask8 kAll = 0xff;
  if (stride == 1) {
    if constexpr (S == 0) return _mm512_mask_cvtepi64_storeu_epi8(y, kAll, v);
    if constexpr (S == 1) return _mm512_mask_cvtepi64_storeu_epi16(y, kAll, v);
    if constexpr (S == 2) return _mm512_mask_cvtepi64_storeu_epi32(y, kAll, v);
    if constexpr (S == 3) return _mm512_storeu_si512(y, v);
  }
#endif
  int64_t lanes[kQwords];
  __builtin_memcpy(lanes, &v, sizeof(v));
  for (int64_t k = 0; k < kQwords; ++k) y[k * stride] = static_cast<Element<S>>(lanes[k]);
}

// The quotients of as many as whole registers hold; gives how many.
template <int S>
int64_t DivideQwords(const int64_t* sums, int64_t n, const QuotientArgs& a,
                     typename ElementTypes<S>::Loose* y, int64_t stride) {
  const HighProduct by_magic(a.magic);
  const __m128i scale = _mm_cvtsi32_si128(__builtin_ctzll(static_cast<uint64_t>(a.scale))),
                bits = _mm_cvtsi32_si128(a.bits - 1);
  const Qwords half = Broadcast(a.half);
  int64_t i = 0;
  for (; i + kQwords <= n; i += kQwords) {
    Qwords sum;
    __builtin_memcpy(&sum, sums + i, sizeof(sum));
    const Qwords dividend = TALLY_QWORDS(add_epi64)(TALLY_QWORDS(sll_epi64)(sum, scale), half);
    const Qwords sign = SignOf(dividend), v = TALLY_WHOLE(xor)(dividend, sign), high = by_magic(v);
    const Qwords rest = TALLY_QWORDS(srli_epi64)(TALLY_QWORDS(sub_epi64)(v, high), 1);
    const Qwords quotient = TALLY_QWORDS(srl_epi64)(TALLY_QWORDS(add_epi64)(high, rest), bits);
    StoreNarrowed<S>(TALLY_WHOLE(xor)(quotient, sign), y + i * stride, stride);
  }
  return i;
}
#endif

template <int S>
void Sum(const TapsArgs& args, int64_t* sums) {
  const auto* x = At<S>(args.x);
  const TapsArgs a = args;
  if (a.channel_stride == 1) {
    int64_t first = 0;
#if defined(__AVX2__)
    if constexpr (S < 3) first = SumQwords<S>(a, sums);
#endif
    if (first == a.channels) return;
    for (int64_t k = 0; k < a.taps; ++k) {
      const auto* row = x + a.places[k];
      const int64_t weight = a.weights[k];
      TALLY_SIMD
      for (int64_t c = first; c < a.channels; ++c) sums[c] = WrapAdd(sums[c], WrapMul(weight, row[c]));
    }
    return;
  }
  for (int64_t c = 0; c < a.channels; ++c) {
    const auto* channel = x + c * a.channel_stride;
    int64_t sum = sums[c];
    for (int64_t k = 0; k < a.taps; ++k) sum = WrapAdd(sum, WrapMul(a.weights[k], channel[a.places[k]]));
    sums[c] = sum;
  }
}

template <int S>
void GreatestTap(const TapsArgs& args, int64_t* greatest) {
  const auto* x = At<S>(args.x);
  const TapsArgs a = args;
  for (int64_t k = 0; k < a.taps; ++k) {
    const auto* row = x + a.places[k];
    const int64_t weight = a.weights[k];
    TALLY_SIMD
    for (int64_t c = 0; c < a.channels; ++c) {
      const int64_t term = WrapMul(weight, row[c * a.channel_stride]);
      greatest[c] = term > greatest[c] ? term : greatest[c];
    }
  }
}

void Greatest(const int64_t* x, int64_t n, int64_t* greatest) {
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) greatest[i] = x[i] > greatest[i] ? x[i] : greatest[i];
}

// The floor of a negative number is the complement of that of its complement.
template <int S>
void Divide(const int64_t* sums, int64_t n, const QuotientArgs& args, void* y_bytes, int64_t stride) {
  auto* y = At<S>(y_bytes);
  const QuotientArgs a = args;
  if (a.by_shift) {
    const auto write = [&](int64_t step) {
      for (int64_t i = 0; i < n; ++i) {
        y[i * step] = static_cast<Element<S>>((sums[i] * a.scale + a.half) >> a.bits);
      }
    };
    return stride == 1 ? write(1) : write(stride);
  }
  int64_t first = 0;
#if defined(__AVX2__)
  first = DivideQwords<S>(sums, n, a, y, stride);
#endif
  __extension__ using Wide = unsigned __int128;
  for (int64_t i = first; i < n; ++i) {
    const int64_t dividend = sums[i] * a.scale + a.half, sign = dividend >> 63;
    const auto v = static_cast<uint64_t>(dividend ^ sign);
    const auto high = static_cast<uint64_t>(static_cast<Wide>(v) * a.magic >> 64);
    const uint64_t quotient = (high + ((v - high) >> 1)) >> (a.bits - 1);
    y[i * stride] = static_cast<Element<S>>(static_cast<int64_t>(quotient) ^ sign);
  }
}

#if defined(__AVX2__)
#undef TALLY_QWORDS
#undef TALLY_WHOLE
#endif

}  // namespace

const SamplingLoops kSamplingLoops = {
    {Sum<0>, Sum<1>, Sum<2>, Sum<3>},
    {GreatestTap<0>, GreatestTap<1>, GreatestTap<2>, GreatestTap<3>},
    Greatest,
    {Divide<0>, Divide<1>, Divide<2>, Divide<3>},
};

}  // namespace tally::TALLY_ISA
