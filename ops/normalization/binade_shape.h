// The binade of a positive integer, for rules and references.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace tally {

inline constexpr int64_t kBinadeEntries = 1025;  // of a table over position = 0, 1/1024 .. 1
inline constexpr int64_t kBinades = 62;          // exponents 0 .. 61, of integers below 2^62

// floor(log2(v)) of 0 < v < 2^63.
template <typename Int>
constexpr int FloorLog2Of(const Int& v) {
  if constexpr (std::is_same_v<Int, int64_t>) {
    return 63 - std::countl_zero(static_cast<uint64_t>(v));
  } else {
    int exponent = 0;
    while (exponent < 62 && v >= Int(int64_t{1} << (exponent + 1))) ++exponent;
    return exponent;
  }
}

}  // namespace tally
