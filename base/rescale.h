// Requantization: the one operator by which an exact integer becomes a coarser one.
//
//   v = x - zero_in
//   P = v * multiplier + bias
//   y = clamp(RoundShift(rounding, P, shift, v < 0) + zero_out, lo, hi)
//
//   const RescaleParams params = {.multiplier = 3, .shift = 2, .lo = -128, .hi = 127};
//   Rescale<int64_t>(6, params) == 5;  // 18 / 4 = 4.5, and kHalfUp rounds ties toward +infinity
//
// The templates serve int64_t (engines), boost::multiprecision::cpp_int (interval proofs) and trapping
// wrappers (fuzzing) alike: Int needs a constructor from int64_t, +, -, *, comparisons and >> of values >= 0.
// Range: with int64_t the caller has proven, as the validator does, that
//   max|v| * |multiplier| + |bias| + 2^(shift-1) + 2^30 < 2^63
// and that adding zero_out to the rounded value fits as well. Nothing here is checked again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace tally {

// How P / 2^shift becomes an integer. The numeric values are part of the module encoding.
enum class Rounding : uint8_t {
  kFloor = 0,     // toward -infinity
  kHalfUp = 1,    // to nearest, ties toward +infinity
  kHalfAway = 2,  // to nearest, ties away from zero
  kHalfEven = 3,  // to nearest, ties to the even neighbour
  kDouble = 4,    // TFLite's two steps: kHalfUp by 31, then kHalfAway by shift - 31; kHalfUp when shift <= 31
  kTrunc = 5,     // toward zero
};

inline constexpr std::array<std::string_view, 6> kRoundingNames = {"floor",     "half_up", "half_away",
                                                                   "half_even", "double",  "trunc"};

constexpr std::string_view RoundingName(Rounding rounding) {
  return kRoundingNames[static_cast<size_t>(rounding)];
}

constexpr std::optional<Rounding> ParseRounding(std::string_view name) {
  for (size_t i = 0; i < kRoundingNames.size(); ++i) {
    if (kRoundingNames[i] == name) return static_cast<Rounding>(i);
  }
  return std::nullopt;
}

inline constexpr int kMaxRescaleShift = 62;

struct RescaleParams {
  int32_t zero_in = 0;
  int32_t multiplier = 1;  // > -2^31; kDouble needs multiplier >= 0 and bias = 0
  int64_t bias = 0;
  int shift = 0;  // 0 .. kMaxRescaleShift
  Rounding rounding = Rounding::kHalfUp;
  int32_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;  // >= lo
};

// floor(x / 2^shift), shift >= 0. Not x >> shift for a class type: Boost 1.74's cpp_int gets that wrong for
// some negative values, such as -2^64 - 1, where its internal increment to a zero low word drops the sign.
template <class Int>
constexpr Int FloorShift(const Int& x, int shift) {
  if constexpr (std::is_integral_v<Int>) {
    return x >> shift;  // arithmetic, since C++20
  } else {
    const Int minus_one(int64_t{-1});
    return x > minus_one ? Int(x >> shift) : Int(minus_one - Int(Int(minus_one - x) >> shift));
  }
}

// product / 2^shift as an integer; shift = 0 is the identity in every mode. `value_is_negative` is the
// sign of the value that was multiplied, which TFLite and TOSA name when they define kDouble; others ignore
// it.
template <class Int>
constexpr Int RoundShift(Rounding rounding, const Int& product, int shift, bool value_is_negative) {
  if (shift == 0) return product;
  const bool negative = product < Int(int64_t{0});
  const int64_t half = int64_t{1} << (shift - 1);
  switch (rounding) {
    case Rounding::kFloor: return FloorShift<Int>(product, shift);
    case Rounding::kHalfUp: return FloorShift<Int>(product + Int(half), shift);
    case Rounding::kHalfAway:
      // One less than half puts a tie below its midpoint, so that a negative tie goes down.
      return FloorShift<Int>(product + Int(negative ? half - 1 : half), shift);
    case Rounding::kHalfEven: {
      // The same, for a floor that is even: its ties stay, while ties above an odd floor go up.
      const Int floor = FloorShift<Int>(product, shift);
      const bool odd = FloorShift<Int>(floor, 1) * Int(int64_t{2}) != floor;
      return FloorShift<Int>(product + Int(odd ? half : half - 1), shift);
    }
    case Rounding::kDouble: {
      // One floor does both steps: the first adds 2^30 to the product, and the second, for a negative value,
      // subtracts one unit of the first step's result, 2^31.
      constexpr int64_t kFirstHalf = int64_t{1} << 30;
      const int64_t first = shift <= 31 ? 0 : value_is_negative ? -kFirstHalf : kFirstHalf;
      return FloorShift<Int>(product + Int(half + first), shift);
    }
    case Rounding::kTrunc: return FloorShift<Int>(product + Int(negative ? 2 * half - 1 : int64_t{0}), shift);
  }
  __builtin_unreachable();  // the decoder admits no other mode
}

template <class Int>
constexpr Int Rescale(const Int& x, const RescaleParams& params) {
  const Int value = x - Int(int64_t{params.zero_in});
  const Int product = value * Int(int64_t{params.multiplier}) + Int(params.bias);
  const Int rounded = RoundShift<Int>(params.rounding, product, params.shift, value < Int(int64_t{0}));
  const Int y = rounded + Int(int64_t{params.zero_out});
  const Int lo(params.lo);
  const Int hi(params.hi);
  return y < lo ? lo : y > hi ? hi : y;
}

}  // namespace tally
