// A positive integer as 2^exponent * (1 + position), and a function of the position by a table of 1025
// entries.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "base/rescale.h"

namespace tally {

inline constexpr int64_t kBinadeEntries = 1025;  // for a table over position = 0, 1/1024 .. 1
inline constexpr int64_t kBinades = 62;          // exponents 0 .. 61, of integers below 2^62

// floor(log2(v)) of 0 < v < 2^63.
template <typename Int>
constexpr int FloorLog2Of(const Int& v) {
  if constexpr (std::is_same_v<Int, int64_t>) {
#ifdef __CUDA_ARCH__
    return 63 - __clzll(v);
#else
    return 63 - std::countl_zero(static_cast<uint64_t>(v));
#endif
  } else {
    int exponent = 0;
    while (exponent < 62 && v >= Int(int64_t{1} << (exponent + 1))) ++exponent;
    return exponent;
  }
}

template <typename Int>
struct Binade {
  int exponent;
  int64_t index;  // for the entry at or below the position
  Int rest;       // the position's, in units of 2^-40: less than 2^30

  constexpr explicit Binade(const Int& v) : exponent(FloorLog2Of(v)) {
    // v / 2^exponent with 40 bits after the point; what is below them is dropped.
    const Int scaled =
        exponent <= 40 ? Int(v * Int(int64_t{1} << (40 - exponent))) : FloorShift<Int>(v, exponent - 40);
    const Int position = Int(scaled - Int(int64_t{1} << 40));
    const Int entry = FloorShift<Int>(position, 30);
    index = static_cast<int64_t>(entry);
    rest = Int(position - entry * Int(int64_t{1} << 30));
  }

  // Linear between two entries, half up.
  template <typename List>  // an operand; rules have the entries of a constant
  constexpr Int Interpolate(const List& table) const {
    const Int below = Int(table[index]), step = Int(Int(table[index + 1]) - below);
    return Int(below + RoundShift<Int>(Rounding::kHalfUp, Int(step * rest), 30, false));
  }
};

}  // namespace tally
