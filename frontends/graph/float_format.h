// The encodings of floats in files, by one rule for all formats of IEEE 754.
//
//   DecodeFloat(0x3c00, kHalf);  // 1.0
//   EncodeFloat(1.0, kBrain);    // 0x3f80
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tally::frontend {

struct FloatFormat {
  int mantissa_bits;  // without the leading one
  int exponent_bits;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int all_ones() const { return (1 << exponent_bits) - 1; }  // the exponent of infinities and NaNs
};

constexpr FloatFormat kHalf = {10, 5};    // binary16
constexpr FloatFormat kBrain = {7, 8};    // bfloat16
constexpr FloatFormat kSingle = {23, 8};  // binary32
constexpr FloatFormat kDouble = {52, 11};

// Exact: a double holds the values of every format.
double DecodeFloat(uint64_t bits, FloatFormat format);

// The floats of which `bytes` are the encodings, little endian, rounded where they are doubles.
std::vector<float> DecodeFloats(std::span<const uint8_t> bytes, FloatFormat format);

// The nearest value, ties to even; an infinity when it is too large. `value` is finite.
uint64_t EncodeFloat(double value, FloatFormat format);

}  // namespace tally::frontend
