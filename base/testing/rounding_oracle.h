// The rounding modes as statements about the exact rational product / 2^shift, for tests of base/rescale.h.
//
// Nothing here shares a formula with the implementation: quotient and remainder come from cpp_int division,
// and each mode compares twice the remainder with the divisor.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include "base/rescale.h"

namespace tally {

using BigInt = boost::multiprecision::cpp_int;

inline BigInt RoundExactly(Rounding rounding, const BigInt& product, int shift) {
  const BigInt divisor = boost::multiprecision::pow(BigInt(2), shift);
  BigInt quotient, remainder;
  boost::multiprecision::divide_qr(product, divisor, quotient, remainder);  // toward zero
  if (remainder < 0) {
    quotient -= 1;
    remainder += divisor;
  }
  // Now product = quotient * divisor + remainder with 0 <= remainder < divisor.
  const BigInt twice = 2 * remainder;
  const bool tie = remainder != 0 && twice == divisor;
  const bool above_half = twice > divisor;
  switch (rounding) {
    case Rounding::kFloor: return quotient;
    case Rounding::kHalfUp: return above_half || tie ? quotient + 1 : quotient;
    case Rounding::kHalfAway: return above_half || (tie && product > 0) ? quotient + 1 : quotient;
    case Rounding::kHalfEven: return above_half || (tie && quotient % 2 != 0) ? quotient + 1 : quotient;
    case Rounding::kTrunc: return product < 0 && remainder != 0 ? quotient + 1 : quotient;
    case Rounding::kDouble:
      if (shift <= 31) return RoundExactly(Rounding::kHalfUp, product, shift);
      return RoundExactly(Rounding::kHalfAway, RoundExactly(Rounding::kHalfUp, product, 31), shift - 31);
  }
  return 0;
}

}  // namespace tally
