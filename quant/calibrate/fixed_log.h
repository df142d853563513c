// Logarithms whose every bit is the same on every machine, for choices that decide bytes of a module.
#pragma once

#include <bit>
#include <cstdint>

namespace tally::quant {

constexpr int kLogFraction = 32;

// log2(x) 2^32, rounded down to within 2 units; x is not 0. One bit of the fraction for each squaring.
constexpr int64_t FixedLog2(uint64_t x) {
  const int exponent = 63 - std::countl_zero(x);
  uint64_t mantissa = x << (63 - exponent);  // x = mantissa 2^(exponent - 63), in [1, 2) as 2^63 is 1
  int64_t log = exponent;
  for (int bit = 0; bit < kLogFraction; ++bit) {
    const unsigned __int128 square = static_cast<unsigned __int128>(mantissa) * mantissa >> 63;
    const bool at_least_two = square >> 64 != 0;
    mantissa = static_cast<uint64_t>(at_least_two ? square >> 1 : square);
    log = 2 * log + (at_least_two ? 1 : 0);
  }
  return log;
}

}  // namespace tally::quant
