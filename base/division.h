// Integer division in every rounding mode, and integer square roots.
//
//   RoundDiv<int64_t>(Rounding::kHalfAway, -7, 2) == -4;  // -3.5, and ties go away from zero
//   FloorSqrt<int64_t>(24) == 4;
//
// The templates serve int64_t (engines), 128-bit integers (interval proofs), boost::multiprecision::cpp_int
// and trapping wrappers alike. Range: 2(|a| + |b|) must fit Int; for kTrunc a / b must.
#pragma once

#include <cstdint>

#include "base/int_math.h"
#include "base/rescale.h"

namespace tally {

// a / b as an integer; b is not 0 and the mode is not kDouble, which divides by powers of two only.
template <class Int>
constexpr Int RoundDiv(Rounding rounding, const Int& a, const Int& b) {
  const Int zero(int64_t{0});
  if (rounding == Rounding::kTrunc) return Int(a / b);
  if (b < zero) return RoundDiv<Int>(rounding, Int(zero - a), Int(zero - b));
  if (rounding == Rounding::kFloor) return FloorDiv<Int>(a, b);
  // floor(a / b + 1/2) rounds ties up. Subtracting one puts a tie below its midpoint and changes nothing
  // else.
  const auto tie_goes_down = [&] {
    if (rounding == Rounding::kHalfAway) return a < zero;
    if (rounding == Rounding::kHalfUp) return false;
    const Int floor = FloorDiv<Int>(a, b);
    return Int(floor / Int(int64_t{2})) * Int(int64_t{2}) == floor;
  };
  return FloorDiv<Int>(Int(Int(a + a) + b - Int(int64_t{tie_goes_down() ? 1 : 0})), Int(b + b));
}

// From the largest multiple of 2 * bit whose square is at most x, that of bit.
template <class Int>
constexpr Int RefineSqrt(const Int& x, const Int& root, int64_t bit) {
  const Int longer(root + Int(bit));
  return Int(longer * longer) <= x ? longer : root;
}

// The largest r with r * r <= x, for 0 <= x < 2^48: from the top, every bit that keeps the square below.
template <class Int>
constexpr Int FloorSqrt(const Int& x) {
  Int root(int64_t{0});
  for (int64_t bit = int64_t{1} << 23; bit > 0; bit >>= 1) root = RefineSqrt<Int>(x, root, bit);
  return root;
}

// The integer nearest to sqrt(x), where root is its floor. There are no ties: (r + 1/2)^2 is not an integer.
template <class Int>
constexpr Int NearestToSqrt(const Int& x, const Int& root) {
  return Int(x - Int(root * root)) > root ? Int(root + Int(int64_t{1})) : root;
}

// The integer nearest to sqrt(x), for 0 <= x < 2^48.
template <class Int>
constexpr Int NearestSqrt(const Int& x) {
  return NearestToSqrt<Int>(x, FloorSqrt<Int>(x));
}

}  // namespace tally
