// Arithmetic of proofs: intervals over 128-bit integers that saturate far outside every limit.
//
// A rule computes bounds here and then asks whether they are inside a limit of at most 2^63. Saturation
// happens at 2^126, so a bound that saturated is refused like any other that is too large: no wrapped bound
// is ever seen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/int_math.h"
#include "base/interval.h"

namespace tally {

inline constexpr Int128 kWideMax = Int128{1} << 126;

constexpr Int128 ClampWide(Int128 v) { return std::clamp(v, -kWideMax, kWideMax); }

// Operands are within +-kWideMax, so the sum fits Int128.
constexpr Int128 SatAdd(Int128 a, Int128 b) { return ClampWide(a + b); }

constexpr Int128 SatMul(Int128 a, Int128 b) {
  // Nearly always both factors fit 64 bits; the general case is ten times as slow, and hostile modules would
  // ask for it once for each weight.
  if (a == static_cast<int64_t>(a) && b == static_cast<int64_t>(b) && a != INT64_MIN && b != INT64_MIN)
    return a * b;
  Int128 product = 0;
  if (CheckedMul(a, b, &product)) return ClampWide(product);
  return (a < 0) == (b < 0) ? kWideMax : -kWideMax;
}

struct WideInterval {
  Int128 lo = 0;
  Int128 hi = 0;

  constexpr WideInterval() = default;
  constexpr WideInterval(Int128 lo_in, Int128 hi_in) : lo(lo_in), hi(hi_in) {}
  constexpr WideInterval(const Interval& i) : lo(i.lo), hi(i.hi) {}  // NOLINT: every interval is a wide one

  constexpr Int128 Magnitude() const { return std::max(lo < 0 ? -lo : lo, hi < 0 ? -hi : hi); }
  constexpr bool Within(Int128 min, Int128 max) const { return min <= lo && hi <= max; }
  constexpr WideInterval Hull(const WideInterval& o) const {
    return {std::min(lo, o.lo), std::max(hi, o.hi)};
  }
  constexpr WideInterval Clamp(Int128 min, Int128 max) const {
    return {std::clamp(lo, min, max), std::clamp(hi, min, max)};
  }

  friend constexpr WideInterval operator+(const WideInterval& a, const WideInterval& b) {
    return {SatAdd(a.lo, b.lo), SatAdd(a.hi, b.hi)};
  }
  friend constexpr WideInterval operator-(const WideInterval& a) { return {-a.hi, -a.lo}; }
  friend constexpr WideInterval operator-(const WideInterval& a, const WideInterval& b) { return a + -b; }
  friend constexpr WideInterval operator*(const WideInterval& a, const WideInterval& b) {
    const Int128 p[] = {SatMul(a.lo, b.lo), SatMul(a.lo, b.hi), SatMul(a.hi, b.lo), SatMul(a.hi, b.hi)};
    return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
  }
  friend constexpr bool operator==(const WideInterval&, const WideInterval&) = default;
};

// Decimal text of a 128-bit integer, for messages.
inline std::string ToString(Int128 value) {
  const bool negative = value < 0;
  unsigned __int128 rest =
      negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  return negative ? "-" + digits : digits;
}

}  // namespace tally
