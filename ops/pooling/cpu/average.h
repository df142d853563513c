// The exact average of windows of one count as a multiplication and a shift.
//
//   const AverageDivision division(attrs, 9, 9, 9 * 128);  // windows of nine bytes
//   const std::optional<NarrowAverageArgs> narrow = division.Narrow();
//
// f(S) = floor((a * S + b) / c) for integers |S| <= A is floor((M * S + B) / 2^L) with
//   M = ceil(a * 2^L / c), d = M * c - a * 2^L in [0, c), B = ceil((b * 2^L + d * A) / c) if c * (2 * A + 1) <= 2^L:
// c * (M * S + B) - 2^L * (a * S + b) is in [d * (S + A), d * (S + A) + c), hence in [0, 2^L), so that the
// second quotient is above the first by less than 1 / c, which is too little to reach the next integer.
#pragma once

#include <bit>
#include <numeric>
#include <optional>

#include "base/wide.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/cpu/pooling_loops.h"

namespace tally {

class AverageDivision {
 public:
  // Windows that sum `inside` elements and divide by `count`; `most` bounds |S|, S less zero_in for each
  // element.
  AverageDivision(const AveragePoolAttrs& attrs, int64_t inside, int64_t count, Int128 most)
      : attrs_(attrs), bias_(Int128{attrs.zero_in} * inside), most_(most) {
    const bool floor = attrs.rounding == Rounding::kFloor;
    possible_ = floor || attrs.rounding == Rounding::kHalfUp || attrs.rounding == Rounding::kHalfAway;
    const Int128 divisor = Int128{count} << attrs.shift;  // C8 keeps twice of it below 2^63
    numerator_ = floor ? attrs.multiplier : 2 * attrs.multiplier;
    denominator_ = floor ? divisor : 2 * divisor;
    const Int128 half = floor ? 0 : divisor;
    // A factor that the numerator and the denominator share takes nothing but fractions from the addend.
    // denominator_ > 0.
    const auto shared = std::gcd(static_cast<int64_t>(numerator_), static_cast<int64_t>(denominator_));
    numerator_ /= shared;
    denominator_ /= shared;
    addend_ = half / shared;
    tie_ = attrs.rounding == Rounding::kHalfAway ? addend_ - (half - 1) / shared : 0;
    quotient_ = (numerator_ * most_ + addend_) / denominator_ + 1;
  }

  // For results of at most 32 bits. With quotients, and what they become, of 31 bits; nothing for other
  // roundings and where 64 bits are too few.
  std::optional<AverageArgs> Wide() const {
    const Int128 limit = Int128{1} << 30, zero = attrs_.zero_out;
    if (!possible_ || most_ > limit || quotient_ + (zero < 0 ? -zero : zero) > limit) return std::nullopt;
    const Int128 span = denominator_ * (2 * most_ + 1);
    int shift = 0;
    while (Int128{1} << shift < span) ++shift;
    if (shift > 62 || (quotient_ + 2) << shift >= Int128{1} << 62) return std::nullopt;
    const auto ceil = [&](Int128 v) { return (v + denominator_ - 1) / denominator_; };
    const Int128 multiplier = ceil(numerator_ << shift);
    const Int128 excess = (multiplier * denominator_ - (numerator_ << shift)) * most_;
    const Int128 addend = ceil((addend_ << shift) + excess);
    const Int128 below = ceil(((addend_ - tie_) << shift) + excess);
    return AverageArgs{.bias = static_cast<int64_t>(bias_),
                       .multiplier = static_cast<int64_t>(multiplier),
                       .addend = static_cast<int64_t>(addend),
                       .tie = static_cast<int64_t>(addend - below),
                       .shift = shift,
                       .zero_out = static_cast<int32_t>(attrs_.zero_out),
                       .lo = Clamped<int32_t>(attrs_.lo),
                       .hi = Clamped<int32_t>(attrs_.hi)};
  }

  // For results of at most 16 bits: plain averages of few bytes. A multiple of c makes every dividend n
  // positive, and n / c is n * magic / 2^16 cut off when (magic * c - 2^16) * n < 2^16.
  std::optional<NarrowAverageArgs> Narrow() const {
    constexpr Int128 kLimit = 1 << 13;
    if (!possible_ || numerator_ != 1 || denominator_ < 2 || denominator_ > kLimit || most_ > kLimit)
      return std::nullopt;
    const Int128 multiple = quotient_ * denominator_, magic = (1 << 16) / denominator_ + 1;
    const Int128 greatest = multiple + most_ + addend_, addend = multiple + addend_ - bias_,
                 offset = attrs_.zero_out - quotient_;
    const auto fits = [](Int128 v) { return -kLimit <= v && v <= kLimit; };
    if ((magic * denominator_ - (1 << 16)) * greatest >= 1 << 16 || !fits(bias_) || !fits(addend) ||
        !fits(offset)) {
      return std::nullopt;
    }
    return NarrowAverageArgs{.bias = static_cast<int16_t>(bias_),
                             .addend = static_cast<int16_t>(addend),
                             .tie = static_cast<int16_t>(tie_),
                             .magic = static_cast<uint16_t>(magic),
                             .offset = static_cast<int16_t>(offset),
                             .lo = Clamped<int16_t>(attrs_.lo),
                             .hi = Clamped<int16_t>(attrs_.hi)};
  }

 private:
  template <typename T>
  static T Clamped(int64_t v) {
    return static_cast<T>(
        std::clamp<int64_t>(v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }

  const AveragePoolAttrs& attrs_;
  Int128 bias_, most_, numerator_, denominator_, addend_, tie_, quotient_;  // quotient_ bounds that of S
  bool possible_;
};

}  // namespace tally
