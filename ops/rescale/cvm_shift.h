// CVM's shifts of one element.
#pragma once

#include <cstdint>

#include "base/rescale.h"

namespace tally {

// The range of a precision in [1, 32] is [-alpha, alpha]: symmetric, -2^(precision-1) is no value.
constexpr int64_t CvmAlpha(int64_t precision) { return (int64_t{1} << (precision - 1)) - 1; }

// t clipped to [-alpha, alpha].
template <typename Int>
constexpr Int CvmSaturateTo(const Int& t, const Int& alpha) {
  const Int minus_alpha(Int(int64_t{0}) - alpha);
  return t < minus_alpha ? minus_alpha : t > alpha ? alpha : t;
}

// clip(floor((floor(x / 2^(shift-1)) + 1) / 2)), as the CVM document writes it, in one step; ties go up.
template <typename Int>
constexpr Int CvmRightShiftTo(const Int& x, const Int& alpha, int64_t shift) {
  return CvmSaturateTo<Int>(RoundShift<Int>(Rounding::kHalfUp, x, static_cast<int>(shift), false), alpha);
}

// clip(x * 2^shift). Saturating x first changes nothing, because what exceeds alpha before the shift exceeds
// it after, and keeps the product below 2^63.
template <typename Int>
constexpr Int CvmLeftShiftTo(const Int& x, const Int& alpha, int64_t shift) {
  const Int scale(int64_t{1} << shift);
  return CvmSaturateTo<Int>(Int(CvmSaturateTo<Int>(x, alpha) * scale), alpha);
}

template <typename Int>
constexpr Int CvmSaturate(const Int& t, int64_t precision) {
  return CvmSaturateTo<Int>(t, Int(CvmAlpha(precision)));
}

template <typename Int>
constexpr Int CvmRightShift(const Int& x, int64_t precision, int64_t shift) {
  return CvmRightShiftTo<Int>(x, Int(CvmAlpha(precision)), shift);
}

template <typename Int>
constexpr Int CvmLeftShift(const Int& x, int64_t precision, int64_t shift) {
  return CvmLeftShiftTo<Int>(x, Int(CvmAlpha(precision)), shift);
}

}  // namespace tally
