// Instructions that vectors of 256 and of 512 bits both have: lane by lane, or within each 128 bits.
#pragma once

#include "ops/cpu/gemm/emulated/lanes.h"

typedef long long __m128i __attribute__((vector_size(16)));
typedef long long __m256i __attribute__((vector_size(32)));
typedef long long __m512i __attribute__((vector_size(64)));

namespace tally::emulated {

inline constexpr auto kAnd = [](auto a, auto b) { return a & b; };
inline constexpr auto kOr = [](auto a, auto b) { return a | b; };
inline constexpr auto kXor = [](auto a, auto b) { return a ^ b; };
inline constexpr auto kShiftRightBy = [](auto v, auto count) {
  return ShiftRight(v, static_cast<std::make_unsigned_t<decltype(count)>>(count));
};
// Products of the low halves of 64-bit lanes.
inline constexpr auto kMultiplyLow = [](int64_t a, int64_t b) {
  return int64_t{static_cast<int32_t>(a)} * static_cast<int32_t>(b);
};
// The high half of a product of 16 bits.
inline constexpr auto kMultiplyHigh = [](uint16_t a, uint16_t b) {
  return static_cast<uint16_t>(uint32_t{a} * b >> 16);
};

// sum + two products of 16 bits in each lane. Sums wrap.
template <typename V>
V AddPairs(const V& sum, const V& a, const V& b) {
  const auto start = Lanes<uint32_t>(sum);
  const auto x = Lanes<int16_t>(a), w = Lanes<int16_t>(b);
  return Fill<V, uint32_t>(
      [&](size_t i) { return start[i] + Product(x[2 * i], w[2 * i]) + Product(x[2 * i + 1], w[2 * i + 1]); });
}

// sum + four products of an unsigned and a signed byte in each lane. Sums wrap.
template <typename V>
V AddFours(const V& sum, const V& a, const V& b) {
  const auto start = Lanes<uint32_t>(sum);
  const auto x = Lanes<uint8_t>(a);
  const auto w = Lanes<int8_t>(b);
  return Fill<V, uint32_t>([&](size_t i) {
    uint32_t total = start[i];
    for (size_t k = 4 * i; k < 4 * i + 4; ++k) total += Product(x[k], w[k]);
    return total;
  });
}

// The saturated lanes of a, then those of b.
template <typename To, typename From, typename V>
V Pack(const V& a, const V& b) {
  const auto x = Lanes<From>(a), y = Lanes<From>(b);
  constexpr size_t kHalf = 16 / sizeof(From);
  return Fill<V, To>([&](size_t i) {
    const size_t lane = i % (2 * kHalf), from = i / (2 * kHalf) * kHalf + lane % kHalf;
    return kSaturate<To>(lane < kHalf ? x[from] : y[from]);
  });
}

// Lanes of a and b in turn, those of the low or of the high half.
template <typename T, bool high, typename V>
V Unpack(const V& a, const V& b) {
  const auto x = Lanes<T>(a), y = Lanes<T>(b);
  constexpr size_t kLanes = 16 / sizeof(T);
  return Fill<V, T>([&](size_t i) {
    const size_t from = i / kLanes * kLanes + i % kLanes / 2 + (high ? kLanes / 2 : 0);
    return i % 2 == 0 ? x[from] : y[from];
  });
}

// Bytes of v by the low four bits of each index; zero where its sign is set.
template <typename V>
V LookUpBytes(const V& v, const V& order) {
  const auto bytes = Lanes<uint8_t>(v), from = Lanes<uint8_t>(order);
  return Fill<V, uint8_t>([&](size_t i) { return from[i] & 0x80 ? 0 : bytes[i / 16 * 16 + from[i] % 16]; });
}

template <typename T, typename V>
V Blend(uint64_t mask, const V& a, const V& b) {
  const auto x = Lanes<T>(a), y = Lanes<T>(b);
  return Fill<V, T>([&](size_t i) { return mask >> i & 1 ? y[i] : x[i]; });
}

// 256 and 128 bits as parts of more. What a cast to more leaves undefined holds a pattern, lest a kernel
// count on zeroes.
template <typename V, typename W>
V Part(const W& w, size_t index) {
  V part;
  std::memcpy(&part, reinterpret_cast<const uint8_t*>(&w) + index % (sizeof w / sizeof part) * sizeof part,
              sizeof part);
  return part;
}
template <typename V, typename W>
W WithPart(W w, const V& part, size_t index) {
  std::memcpy(reinterpret_cast<uint8_t*>(&w) + index % (sizeof w / sizeof part) * sizeof part, &part,
              sizeof part);
  return w;
}
template <typename W, typename V>
W Undefined(const V& low) {
  return WithPart(Fill<W, uint8_t>([](size_t) { return 0xa5; }), low, 0);
}

}  // namespace tally::emulated

// f(a, b) of vectors, and of their lanes.
#define TALLY_EMULATE_OF_2(name, ...)                                                                    \
  TALLY_MODEL __m256i _mm256_##name(__m256i a, __m256i b) { return tally::emulated::__VA_ARGS__(a, b); } \
  TALLY_MODEL __m512i _mm512_##name(__m512i a, __m512i b) { return tally::emulated::__VA_ARGS__(a, b); }
#define TALLY_EMULATE_LANES_2(name, Lane, f)                      \
  TALLY_MODEL __m256i _mm256_##name(__m256i a, __m256i b) {       \
    return tally::emulated::Each<Lane>(tally::emulated::f, a, b); \
  }                                                               \
  TALLY_MODEL __m512i _mm512_##name(__m512i a, __m512i b) {       \
    return tally::emulated::Each<Lane>(tally::emulated::f, a, b); \
  }
TALLY_EMULATE_LANES_2(add_epi16, uint16_t, kAdd)
TALLY_EMULATE_LANES_2(add_epi32, uint32_t, kAdd)
TALLY_EMULATE_LANES_2(add_epi64, uint64_t, kAdd)
TALLY_EMULATE_LANES_2(sub_epi8, uint8_t, kLess)
TALLY_EMULATE_LANES_2(sub_epi16, uint16_t, kLess)
TALLY_EMULATE_LANES_2(sub_epi32, uint32_t, kLess)
TALLY_EMULATE_LANES_2(adds_epu8, uint8_t, kAddSaturated<uint8_t>)
TALLY_EMULATE_LANES_2(min_epi8, int8_t, kMin)
TALLY_EMULATE_LANES_2(min_epi16, int16_t, kMin)
TALLY_EMULATE_LANES_2(min_epi32, int32_t, kMin)
TALLY_EMULATE_LANES_2(max_epi8, int8_t, kMax)
TALLY_EMULATE_LANES_2(max_epi16, int16_t, kMax)
TALLY_EMULATE_LANES_2(max_epi32, int32_t, kMax)
TALLY_EMULATE_LANES_2(srav_epi32, int32_t, kShiftRightBy)
TALLY_EMULATE_LANES_2(mul_epi32, int64_t, kMultiplyLow)
TALLY_EMULATE_LANES_2(mulhi_epu16, uint16_t, kMultiplyHigh)
TALLY_EMULATE_OF_2(packs_epi32, Pack<int16_t, int32_t>)
TALLY_EMULATE_OF_2(packs_epi16, Pack<int8_t, int16_t>)
TALLY_EMULATE_OF_2(unpacklo_epi8, Unpack<int8_t, false>)
TALLY_EMULATE_OF_2(unpackhi_epi8, Unpack<int8_t, true>)
TALLY_EMULATE_OF_2(unpacklo_epi16, Unpack<int16_t, false>)
TALLY_EMULATE_OF_2(unpackhi_epi16, Unpack<int16_t, true>)
TALLY_EMULATE_OF_2(shuffle_epi8, LookUpBytes)
#undef TALLY_EMULATE_OF_2
#undef TALLY_EMULATE_LANES_2

TALLY_MODEL __m256i _mm256_madd_epi16(__m256i a, __m256i b) {
  return tally::emulated::AddPairs(__m256i{}, a, b);
}
TALLY_MODEL __m512i _mm512_madd_epi16(__m512i a, __m512i b) {
  return tally::emulated::AddPairs(__m512i{}, a, b);
}

#define TALLY_EMULATE_SHIFT(name, Lane, f)                                                                 \
  TALLY_MODEL __m256i _mm256_##name(__m256i v, int count) {                                                \
    return tally::emulated::Each<Lane>([&](auto x) { return tally::emulated::f(x, uint32_t(count)); }, v); \
  }                                                                                                        \
  TALLY_MODEL __m512i _mm512_##name(__m512i v, unsigned count) {                                           \
    return tally::emulated::Each<Lane>([&](auto x) { return tally::emulated::f(x, count); }, v);           \
  }
TALLY_EMULATE_SHIFT(slli_epi32, uint32_t, ShiftLeft)
TALLY_EMULATE_SHIFT(slli_epi64, uint64_t, ShiftLeft)
TALLY_EMULATE_SHIFT(srli_epi16, uint16_t, ShiftRight)
TALLY_EMULATE_SHIFT(srli_epi64, uint64_t, ShiftRight)
TALLY_EMULATE_SHIFT(srai_epi32, int32_t, ShiftRight)
#undef TALLY_EMULATE_SHIFT
