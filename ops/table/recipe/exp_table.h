// exp for the first pass, in integers of 64 bits: a table of exp(j / 128) and seven terms of the series, a
// tenth of the time of Exp<1>.
//
//   x = k ln 2 + j / 128 + s, |s| <= 2^-8 + 2^-60, so that exp(x) = 2^k T[j] (1 + p), p = exp(s) - 1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "ops/table/recipe/ball.h"
#include "ops/table/recipe/elementary.h"

namespace tally::recipe {

class ExpTable {
 public:
  using Int128 = __int128;

  static const ExpTable& Get() {
    static const ExpTable table;
    return table;
  }

  // Takes any ball: what the table does not reach is left to the series.
  Ball<1> Exp(const Ball<1>& x) const {
    if (x.IsExactZero()) return Ball<1>::FromInt(1);
    const int64_t power_of_radius = x.exponent + kFraction + 2;
    const bool reaches =
        x.known() && x.radius >> 40 == 0 && power_of_radius <= 8 && x.UpperExponent() <= kMostExponent;
    if (!reaches) return recipe::Exp(x);
    const Int128 fixed = Fixed(x);
    // k is the nearest, or one beside it; r is right for either.
    const int64_t k =
        static_cast<int64_t>(((fixed >> (kPoint - 32)) * kInverseLn2 + (Int128{1} << 63)) >> 64);
    const Int128 r = fixed - k * ln2_;
    const int64_t j = static_cast<int64_t>((r + (Int128{1} << (kPoint - 8))) >> (kPoint - 7));
    if (std::abs(j) > kMostEntry) return recipe::Exp(x);
    const auto s =
        static_cast<int64_t>((r - (Int128{j} << (kPoint - 7))) >> (kPoint - 64));  // in units of 2^-64
    const uint64_t t = table_[static_cast<size_t>(j + kMostEntry)];                // in units of 2^-63
    // Horner's rule on 1 / n! in units of 2^-62.
    int64_t h = inverse_factorial_[kTerms];
    for (size_t n = kTerms; n-- > 1;) h = inverse_factorial_[n] + static_cast<int64_t>(Int128{s} * h >> 64);
    const auto p = static_cast<int64_t>(Int128{s} * h >> 62);  // in units of 2^-64
    Ball<1> y;
    y.magnitude = {t + static_cast<uint64_t>(static_cast<int64_t>(Int128{p} * static_cast<Int128>(t) >> 64))};
    y.exponent = k - kFraction;
    // In units of 2^-63, the error is below 3: that of s, and that of p by its last shift, < 1/2 each times
    // T < 1.43; that of h, 1.6 units of 2^-62 times |s| 1.43, < 0.02; that of T, 1/2 times 1.01; the last
    // product's, < 1; those of x, of k ln 2 and of the terms that are left out, < 2^-14. exp(x +- radius) is
    // within 4 radius of exp(x) 2^-k < 1.43, where the radius is below 1.
    y.radius = kRounding + Raised(x.radius, power_of_radius);
    y.Normalize();
    return y;
  }

 private:
  static constexpr int kPoint = 100;                  // x in units of 2^-100
  static constexpr int64_t kFraction = 63;            // bits of T and the result after the point
  static constexpr int64_t kMostExponent = 8;         // |x| <= 2^8
  static constexpr int64_t kInverseLn2 = 6196328019;  // 2^32 / ln 2, rounded
  static constexpr int64_t kMostEntry = 46;           // 128 ln(2) / 2 = 44.4, and a margin
  static constexpr size_t kTerms = 7;                 // s^8 / 8! < 2^-78
  static constexpr uint64_t kRounding = 4;

  ExpTable() {
    ln2_ = Nearest(Constants<2>::Get().ln2, kPoint);
    for (int64_t j = -kMostEntry; j <= kMostEntry; ++j) {
      const Ball<2> entry = recipe::Exp(Ball<2>::FromInt(j).TimesPowerOfTwo(-7));
      table_[static_cast<size_t>(j + kMostEntry)] = static_cast<uint64_t>(Nearest(entry, kFraction));
    }
    for (size_t n = 0; n <= kTerms; ++n)
      inverse_factorial_[n] = static_cast<int64_t>(Nearest(Constants<2>::Get().inverse_factorial[n], 62));
  }

  // x in units of 2^-point, point >= 50; in two parts, since RoundHalfUp gives 62 bits.
  static Int128 Nearest(const Ball<2>& x, int64_t point) {
    const int64_t high = RoundHalfUp(x.TimesPowerOfTwo(50), 0);
    const Ball<2> rest = x - Ball<2>::FromInt(high).TimesPowerOfTwo(-50);
    return (Int128{high} << (point - 50)) + RoundHalfUp(rest.TimesPowerOfTwo(point), 0);
  }

  static Int128 Fixed(const Ball<1>& x) {
    const int64_t shift = x.exponent + kPoint;
    const auto magnitude = static_cast<Int128>(x.magnitude[0]);
    const Int128 size = shift >= 0 ? magnitude << shift : shift > -64 ? magnitude >> -shift : 0;
    return x.negative ? -size : size;
  }

  static uint64_t Raised(uint64_t radius, int64_t power) {
    return power > 0 ? radius << power : ScaleRadius(radius, -power);
  }

  Int128 ln2_ = 0;                                          // in units of 2^-100
  std::array<uint64_t, 2 * kMostEntry + 1> table_ = {};     // exp(j / 128), in units of 2^-63
  std::array<int64_t, kTerms + 1> inverse_factorial_ = {};  // in units of 2^-62
};

}  // namespace tally::recipe
