// Other forms of the rounding shift, for machines that lack a 64-bit arithmetic shift: what SIMD kernels
// compute lane by lane. tests/proofs shows that each equals its definition on its whole range.
//
// Templates over the integer, as in base/rescale.h.
#pragma once

#include <cstdint>

#include "base/rescale.h"

namespace tally {

// From the high 32 bits alone: one 64-bit add, then a 32-bit arithmetic shift (AVX2, NEON, CUDA).
// 32 <= shift <= 62 and |product| + 2^(shift-1) < 2^63.
template <class Int>
constexpr Int HighWordHalfUp(const Int& product, int shift) {
  const Int high = FloorShift<Int>(Int(product + Int(int64_t{1} << (shift - 1))), 32);
  return FloorShift<Int>(high, shift - 32);
}

// By a logical shift: a bias makes the sum positive, and its own quotient is subtracted after the shift
// (AVX2, any shift). 1 <= shift <= 61 and |product| + 2^(shift-1) < 2^62.
template <class Int>
constexpr Int BiasedHalfUp(const Int& product, int shift) {
  constexpr int64_t kBias = int64_t{1} << 62;
  const Int sum(Int(product + Int(int64_t{1} << (shift - 1))) + Int(kBias));
  return Int(Int(sum >> shift) - Int(kBias >> shift));
}

// floor((x * multiplier + addend) / 2^shift) from the products of x's halves alone, where x = high 2^16 + low
// with low >= 0, and addend = addend_high 2^16: a floor of a floor is the floor (x86). 16 <= shift <= 47,
// |x| <= 2^31, 0 <= multiplier < 2^15 and |x * multiplier + addend| < 2^47; then 32 bits hold all of it,
// where sums wrap.
template <class Int>
constexpr Int ShortFloor(const Int& product_of_high, const Int& product_of_low, const Int& addend_high,
                         int shift) {
  return FloorShift<Int>(Int(product_of_high + FloorShift<Int>(product_of_low, 16) + addend_high),
                         shift - 16);
}

}  // namespace tally
