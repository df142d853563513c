// Integer helpers whose names state what happens on overflow.
//
//   absl::StatusOr / std::optional never hide a wrapped value: a Checked* helper returns false, a Floor* or
//   Ceil* helper is total on its documented domain.
#pragma once

#include <cstdint>

namespace tally {

// Wide enough for every product of two storable values; the validator's arithmetic.
using Int128 = __int128;

// *out = a op b, or false when the result does not fit T (T is int64_t, uint64_t or Int128).
template <typename T>
[[nodiscard]] constexpr bool CheckedAdd(T a, T b, T* out) {
  return !__builtin_add_overflow(a, b, out);
}
template <typename T>
[[nodiscard]] constexpr bool CheckedSub(T a, T b, T* out) {
  return !__builtin_sub_overflow(a, b, out);
}
template <typename T>
[[nodiscard]] constexpr bool CheckedMul(T a, T b, T* out) {
  return !__builtin_mul_overflow(a, b, out);
}

// Quotient rounded toward -infinity; b > 0. Works for int64_t and Int128; a may be negative.
template <typename T>
constexpr T FloorDiv(T a, T b) {
  return a / b - (a % b != 0 && a < 0 ? 1 : 0);
}

// Quotient rounded toward +infinity; b > 0.
template <typename T>
constexpr T CeilDiv(T a, T b) {
  return a / b + (a % b != 0 && a > 0 ? 1 : 0);
}

// Smallest multiple of `multiple` that is >= a; a >= 0, multiple > 0, and the result must fit.
constexpr int64_t RoundUp(int64_t a, int64_t multiple) { return (a + multiple - 1) / multiple * multiple; }

// floor(log2(a)) + 1 for a > 0, and 0 for a = 0: the number of bits of a magnitude.
constexpr int BitLength(uint64_t a) { return a == 0 ? 0 : 64 - __builtin_clzll(a); }

}  // namespace tally
