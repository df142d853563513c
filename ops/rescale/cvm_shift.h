// CVM's shifts of one element.
#pragma once

#include <cstdint>

#include "base/rescale.h"

namespace tally {

// clip(t) to [-alpha, alpha] with alpha = 2^(precision-1) - 1: the range is symmetric, -2^(precision-1) is no value.
// 1 <= precision <= 32.
template <typename Int>
Int CvmSaturate(const Int& t, int64_t precision) {
  const Int alpha((int64_t{1} << (precision - 1)) - 1);
  const Int minus_alpha(Int(int64_t{0}) - alpha);
  return t < minus_alpha ? minus_alpha : t > alpha ? alpha : t;
}

// clip(floor((floor(x / 2^(shift-1)) + 1) / 2)), as the CVM document writes it, in one step; ties go up.
template <typename Int>
Int CvmRightShift(const Int& x, int64_t precision, int64_t shift) {
  return CvmSaturate<Int>(RoundShift<Int>(Rounding::kHalfUp, x, static_cast<int>(shift), false), precision);
}

// clip(x * 2^shift). Saturating x first changes nothing, because what exceeds alpha before the shift exceeds it
// after, and keeps the product below 2^63.
template <typename Int>
Int CvmLeftShift(const Int& x, int64_t precision, int64_t shift) {
  const Int scale(int64_t{1} << shift);
  return CvmSaturate<Int>(Int(CvmSaturate<Int>(x, precision) * scale), precision);
}

}  // namespace tally
