// Real numbers with their certificates: a midpoint of 64 N bits and a radius that every operation keeps true.
//
//   const Ball<1> x = Ball<1>::FromInt(3).TimesPowerOfTwo(-4);  // exactly 3/16
//   const Ball<1> y = x / Ball<1>::FromInt(7);                  // y.radius >= the distance from 3/112
//
// The number is within (midpoint +- radius) 2^exponent. A radius of 0 says that the number is exact, and
// exact results of exact operands stay exact where they fit: a comparison of such numbers is a decision, not
// an estimate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "ops/table/recipe/limbs.h"

namespace tally::recipe {

// Beyond it nothing is known; sums of two radii and of their roundings fit 64 bits.
inline constexpr uint64_t kMaxRadius = uint64_t{1} << 60;
// Leading zeros go until the radius has this many leading zeros itself: room for the operations that follow.
inline constexpr int kRadiusRoom = 14;

// ceil(radius / 2^shift)
inline uint64_t ScaleRadius(uint64_t radius, int64_t shift) {
  if (shift >= 64) return radius != 0;
  if (shift == 0) return radius;
  return (radius >> shift) + (radius << (64 - shift) != 0);
}

template <int N>
struct Ball {
  Limbs<N> magnitude{};
  int64_t exponent = 0;
  uint64_t radius = 0;
  bool negative = false;

  static Ball Unknown() {
    Ball y;
    y.radius = std::numeric_limits<uint64_t>::max();
    return y;
  }

  static Ball FromInt(int64_t value) {
    Ball y;
    y.negative = value < 0;
    y.magnitude[0] = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    y.Normalize();
    return y;
  }

  bool known() const { return radius <= kMaxRadius; }
  bool exact() const { return radius == 0; }
  bool IsExactZero() const { return exact() && IsZero(magnitude); }

  // The midpoint has its top bit set: most of what a divisor and the argument of a root or a logarithm need.
  bool normal() const { return magnitude[N - 1] >> 63 != 0; }
  bool IsPositive() const { return known() && normal() && !negative; }

  Ball Midpoint() const {
    Ball y = *this;
    y.radius = 0;
    y.Normalize();
    return y;
  }
  Ball Abs() const {
    Ball y = *this;
    y.negative = false;
    return y;
  }
  Ball operator-() const {
    Ball y = *this;
    y.negative = !negative;
    return y;
  }
  Ball TimesPowerOfTwo(int64_t power) const {
    Ball y = *this;
    y.exponent += power;
    return y;
  }

  // The least t with |number| <= 2^t, or somewhat more; for known numbers that are not exactly zero.
  int64_t UpperExponent() const {
    const int64_t of_midpoint = 64 * N - LeadingZeros(magnitude);
    const int64_t of_radius = radius == 0 ? 0 : 64 - __builtin_clzll(radius);
    return exponent + std::max(of_midpoint, of_radius) + 1;
  }

  // Adds 2^power to the radius.
  Ball Widened(int64_t power) const {
    Ball y = *this;
    if (!y.known()) return y;
    if (y.IsExactZero()) y.exponent = power;
    y.Coarsen(power - y.exponent - 40);
    y.radius += uint64_t{1} << std::max<int64_t>(power - y.exponent, 0);
    return y;
  }

  // Drops the lowest bits, if shift > 0.
  void Coarsen(int64_t shift) {
    if (shift <= 0) return;
    const bool lost = ShiftRight(magnitude, shift);
    radius = ScaleRadius(radius, shift) + lost;
    exponent += shift;
  }

  // Leading zeros go as far as the radius leaves room; where it does not, bits go that say nothing.
  void Normalize() {
    const int room = radius == 0 ? 64 * N : __builtin_clzll(radius) - kRadiusRoom;
    if (room < 0) return Coarsen(-room);
    const int zeros = LeadingZeros(magnitude);
    if (zeros == 0) return;
    if (zeros == 64 * N) {
      if (radius == 0) *this = {};
      return;
    }
    const int shift = std::min(zeros, room);
    if (shift == 0) return;
    ShiftLeft(magnitude, shift);
    if (radius != 0) radius <<= shift;  // else the shift may exceed its word
    exponent -= shift;
  }
};

template <int N>
Ball<N> operator+(const Ball<N>& a, const Ball<N>& b) {
  if (!a.known() || !b.known()) return Ball<N>::Unknown();
  if (a.IsExactZero()) return b;
  if (b.IsExactZero()) return a;
  const bool a_is_coarse = a.exponent >= b.exponent;
  const Ball<N>& fine = a_is_coarse ? b : a;
  Ball<N> y = a_is_coarse ? a : b;
  Limbs<N> addend = fine.magnitude;
  const int64_t shift = y.exponent - fine.exponent;
  const bool lost = ShiftRight(addend, shift);
  y.radius += ScaleRadius(fine.radius, shift) + lost;
  if (y.negative == fine.negative) {
    if (AddTo(y.magnitude, addend)) {
      const bool lost_again = ShiftRight(y.magnitude, 1);
      y.magnitude[N - 1] |= uint64_t{1} << 63;
      y.radius = ScaleRadius(y.radius, 1) + lost_again;
      ++y.exponent;
    }
  } else if (Less(y.magnitude, addend)) {
    SubtractFrom(addend, y.magnitude);
    y.magnitude = addend;
    y.negative = fine.negative;
  } else {
    SubtractFrom(y.magnitude, addend);
  }
  y.Normalize();
  return y;
}

template <int N>
Ball<N> operator-(const Ball<N>& a, const Ball<N>& b) {
  return a + -b;
}

// |AB - ab| <= |a| rb + |b| ra + ra rb, in units of the product's upper half: a with z leading zeros is <
// 2^(64 N - z).
template <int N>
Ball<N> operator*(const Ball<N>& a, const Ball<N>& b) {
  if (!a.known() || !b.known()) return Ball<N>::Unknown();
  if (a.IsExactZero() || b.IsExactZero()) return {};
  Limbs<2 * N> product = Product(a.magnitude, b.magnitude);
  uint64_t radius = 0;
  if (b.radius != 0) radius += ScaleRadius(b.radius, LeadingZeros(a.magnitude));
  if (a.radius != 0) radius += ScaleRadius(a.radius, LeadingZeros(b.magnitude));
  if (a.radius != 0 && b.radius != 0) {
    radius += 1 + (N == 1 ? static_cast<uint64_t>(Uint128{a.radius} * b.radius >> 64) : 0);
  }
  int shift = std::min(LeadingZeros(product), 128 * N - 1);
  if (radius != 0) shift = std::clamp(__builtin_clzll(radius) - kRadiusRoom, 0, shift);
  ShiftLeft(product, shift);
  Ball<N> y;
  bool lost = false;
  for (int i = 0; i < N; ++i) {
    lost |= product[static_cast<size_t>(i)] != 0;
    y.magnitude[static_cast<size_t>(i)] = product[static_cast<size_t>(N + i)];
  }
  y.negative = a.negative != b.negative;
  y.exponent = a.exponent + b.exponent + 64 * N - shift;
  y.radius = (radius == 0 ? 0 : radius << shift) + lost;
  if (y.radius >> (64 - kRadiusRoom) != 0) y.Normalize();
  return y;
}

// For b >= 2^(64 N - 1) and rb <= b / 8: |A/B - a/b| <= (ra + 2 rb) / (b - rb), in units of the quotient at
// most (ra + 2 rb) 8/3. A divisor that its radius does not leave so large says too little. One of several
// limbs may begin with zeros that its radius has no room for, after a difference of neighbours; then the
// quotient has fewer bits.
template <int N>
Ball<N> operator/(const Ball<N>& a, const Ball<N>& b) {
  constexpr int kRadiusBits = N == 1 ? 60 : 120;
  Limbs<N> divisor = b.magnitude, numerator = a.magnitude;
  const int zeros = LeadingZeros(divisor);
  if (!a.known() || !b.known() || zeros == 64 * N ||
      (b.radius != 0 && 64 - __builtin_clzll(b.radius) + zeros > kRadiusBits)) {
    return Ball<N>::Unknown();
  }
  if (a.IsExactZero()) return {};
  ShiftLeft(divisor, zeros);
  const Uint128 divisor_radius = b.radius == 0 ? 0 : Uint128{b.radius} << zeros;
  Ball<N> y;
  y.exponent = a.exponent - (b.exponent - zeros) - 64 * N;
  bool lost = false;
  if (!Less(numerator, divisor)) {
    lost = ShiftRight(numerator, 1);
    ++y.exponent;
  }
  bool exact = false;
  y.magnitude = DivideFraction(numerator, divisor, &exact);
  y.negative = a.negative != b.negative;
  // 4 units are for the bit shifted out and the remainder.
  y.radius = (lost || !exact || a.radius != 0 || divisor_radius != 0 ? 4 : 0);
  Uint128 radius = 3 * (Uint128{a.radius} + 2 * divisor_radius);
  for (; radius > kMaxRadius; radius = radius / 2 + 1) y.Coarsen(1);
  y.radius += static_cast<uint64_t>(radius);
  y.Normalize();
  return y;
}

// a / divisor, without the cost of a general division.
template <int N>
Ball<N> DivideSmall(const Ball<N>& a, uint64_t divisor) {
  if (!a.known()) return a;
  Ball<N> y = a;
  Uint128 rest = 0;
  for (size_t i = N; i-- > 0;) {
    rest = rest << 64 | a.magnitude[i];
    y.magnitude[i] = static_cast<uint64_t>(rest / divisor);
    rest %= divisor;
  }
  y.radius = a.radius / divisor + (a.radius % divisor != 0) + (rest != 0);
  y.Normalize();
  return y;
}

// floor(number + 1/2) of the midpoint plus `side` radii (side is -1, 0 or 1), saturated to +-2^62.
template <int N>
int64_t RoundHalfUp(const Ball<N>& a, int side) {
  constexpr int64_t kSaturated = int64_t{1} << 62;
  Limbs<N + 1> magnitude{};
  for (size_t i = 0; i < N; ++i) magnitude[i] = a.magnitude[i];
  bool negative = a.negative;
  if (side != 0 && a.radius != 0) {
    const Limbs<N + 1> radius = {a.radius};
    if ((side < 0) == negative) {
      AddTo(magnitude, radius);
    } else if (Less(magnitude, radius)) {
      Limbs<N + 1> difference = radius;
      SubtractFrom(difference, magnitude);
      magnitude = difference;
      negative = !negative;
    } else {
      SubtractFrom(magnitude, radius);
    }
  }
  if (IsZero(magnitude)) return 0;
  const int64_t top = a.exponent + 64 * (N + 1) - LeadingZeros(magnitude);  // |number| < 2^top
  if (top > 62) return negative ? -kSaturated : kSaturated;
  if (top < -1) return 0;  // |number| < 1/2
  if (a.exponent >= 0) {
    ShiftLeft(magnitude, static_cast<int>(a.exponent));
    const int64_t value = static_cast<int64_t>(magnitude[0]);
    return negative ? -value : value;
  }
  const bool below_half = ShiftRight(magnitude, -a.exponent - 1);
  const int64_t doubled = static_cast<int64_t>(magnitude[0]);  // floor(2 |number|)
  if (!negative) return (doubled + 1) >> 1;
  return -((doubled >> 1) + ((doubled & 1) != 0 && below_half ? 1 : 0));
}

}  // namespace tally::recipe
