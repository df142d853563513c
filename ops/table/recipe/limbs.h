// Unsigned integers of a fixed number of 64-bit limbs, least significant first: the mantissas of ball.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tally::recipe {

using Uint128 = unsigned __int128;

template <size_t K>
using Limbs = std::array<uint64_t, K>;

template <size_t K>
constexpr bool IsZero(const Limbs<K>& a) {
  for (const uint64_t limb : a) {
    if (limb != 0) return false;
  }
  return true;
}

// 64 K for zero.
template <size_t K>
constexpr int LeadingZeros(const Limbs<K>& a) {
  for (size_t i = K; i-- > 0;) {
    if (a[i] != 0) return static_cast<int>(64 * (K - 1 - i)) + __builtin_clzll(a[i]);
  }
  return 64 * K;
}

template <size_t K>
constexpr bool Less(const Limbs<K>& a, const Limbs<K>& b) {
  for (size_t i = K; i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i];
  }
  return false;
}

// a << shift modulo 2^(64 K); 0 <= shift < 64 K.
template <size_t K>
constexpr void ShiftLeft(Limbs<K>& a, int shift) {
  const size_t limbs = static_cast<size_t>(shift) / 64;
  const int bits = shift % 64;
  for (size_t i = K; i-- > 0;) {
    const uint64_t high = i >= limbs ? a[i - limbs] : 0, low = i >= limbs + 1 ? a[i - limbs - 1] : 0;
    a[i] = bits == 0 ? high : high << bits | low >> (64 - bits);
  }
}

// a >> shift for any shift >= 0; whether bits that are not zero fell off.
template <size_t K>
constexpr bool ShiftRight(Limbs<K>& a, int64_t shift) {
  if (shift == 0) return false;
  if (shift >= static_cast<int64_t>(64 * K)) {
    const bool lost = !IsZero(a);
    a = {};
    return lost;
  }
  const size_t limbs = static_cast<size_t>(shift) / 64;
  const int bits = static_cast<int>(shift % 64);
  bool lost = bits != 0 && a[limbs] << (64 - bits) != 0;
  for (size_t i = 0; i < limbs; ++i) lost |= a[i] != 0;
  for (size_t i = 0; i < K; ++i) {
    const uint64_t low = i + limbs < K ? a[i + limbs] : 0, high = i + limbs + 1 < K ? a[i + limbs + 1] : 0;
    a[i] = bits == 0 ? low : low >> bits | high << (64 - bits);
  }
  return lost;
}

// a += b; the carry out.
template <size_t K>
constexpr bool AddTo(Limbs<K>& a, const Limbs<K>& b) {
  Uint128 carry = 0;
  for (size_t i = 0; i < K; ++i) {
    carry += Uint128{a[i]} + b[i];
    a[i] = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
  return carry != 0;
}

// a -= b modulo 2^(64 K).
template <size_t K>
constexpr void SubtractFrom(Limbs<K>& a, const Limbs<K>& b) {
  uint64_t borrow = 0;
  for (size_t i = 0; i < K; ++i) {
    const Uint128 difference = Uint128{a[i]} - b[i] - borrow;
    a[i] = static_cast<uint64_t>(difference);
    borrow = static_cast<uint64_t>(difference >> 64) & 1;
  }
}

template <size_t K>
constexpr Limbs<2 * K> Product(const Limbs<K>& a, const Limbs<K>& b) {
  Limbs<2 * K> y{};
  for (size_t i = 0; i < K; ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < K; ++j) {
      const Uint128 t = Uint128{a[i]} * b[j] + y[i + j] + carry;
      y[i + j] = static_cast<uint64_t>(t);
      carry = static_cast<uint64_t>(t >> 64);
    }
    y[i + K] = carry;
  }
  return y;
}

// floor(a 2^(64 K) / b) for a < b and b with its top bit set; *exact: nothing remains. Knuth's algorithm D.
template <size_t K>
constexpr Limbs<K> DivideFraction(const Limbs<K>& a, const Limbs<K>& b, bool* exact) {
  Limbs<K> quotient{}, rest = a;  // at each step: (rest 2^64) / b is the next limb
  for (size_t step = K; step-- > 0;) {
    uint64_t top = rest[K - 1];  // rest 2^64 = top : shifted
    Limbs<K> shifted{};
    for (size_t i = 1; i < K; ++i) shifted[i] = rest[i - 1];
    const uint64_t below = shifted[K - 1];
    uint64_t digit =
        top >= b[K - 1] ? UINT64_MAX : static_cast<uint64_t>((Uint128{top} << 64 | below) / b[K - 1]);
    uint64_t carry = 0, borrow = 0;  // shifted and top -= digit b
    for (size_t i = 0; i < K; ++i) {
      const Uint128 product = Uint128{digit} * b[i] + carry;
      carry = static_cast<uint64_t>(product >> 64);
      const Uint128 difference = Uint128{shifted[i]} - static_cast<uint64_t>(product) - borrow;
      shifted[i] = static_cast<uint64_t>(difference);
      borrow = static_cast<uint64_t>(difference >> 64) & 1;
    }
    const Uint128 taken = Uint128{carry} + borrow;
    bool negative = taken > top;
    top -= static_cast<uint64_t>(taken);
    while (negative) {  // the digit was estimated from the top limb only: at most 2 too large
      --digit;
      if (AddTo(shifted, b) && ++top == 0) negative = false;
    }
    quotient[step] = digit;
    rest = shifted;
  }
  *exact = IsZero(rest);
  return quotient;
}

template <>
constexpr Limbs<1> DivideFraction(const Limbs<1>& a, const Limbs<1>& b, bool* exact) {
  const Uint128 numerator = Uint128{a[0]} << 64;
  const uint64_t quotient = static_cast<uint64_t>(numerator / b[0]);
  *exact = static_cast<uint64_t>(numerator) == quotient * b[0];
  return {quotient};
}

}  // namespace tally::recipe
