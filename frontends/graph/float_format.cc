#include "frontends/graph/float_format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tally::frontend {

double DecodeFloat(uint64_t bits, FloatFormat format) {
  if (format.mantissa_bits == kDouble.mantissa_bits) return std::bit_cast<double>(bits);
  if (format.mantissa_bits == kSingle.mantissa_bits) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  const int exponent = static_cast<int>(bits >> format.mantissa_bits) & format.all_ones();
  const uint64_t fraction = bits & ((uint64_t{1} << format.mantissa_bits) - 1);
  const bool negative = (bits >> (format.mantissa_bits + format.exponent_bits) & 1) != 0;
  double magnitude;
  if (exponent == format.all_ones()) {
    using Double = std::numeric_limits<double>;
    magnitude = fraction == 0 ? Double::infinity() : Double::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(fraction), 1 - format.bias() - format.mantissa_bits);
  } else {
    const uint64_t significand = fraction | uint64_t{1} << format.mantissa_bits;
    magnitude = std::ldexp(static_cast<double>(significand), exponent - format.bias() - format.mantissa_bits);
  }
  return negative ? -magnitude : magnitude;
}

namespace {

// The bits of exponent and fraction are those of a float of 2^-112 times its value, also where it is
// subnormal.
float DecodeHalf(uint16_t bits) {
  const uint32_t magnitude = bits & 0x7fffu, sign = (bits & 0x8000u) << 16;
  constexpr uint32_t kInfinity = 0x7f800000;
  const uint32_t special = kInfinity | (magnitude & 0x3ffu) << 13;
  const uint32_t value = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
  return std::bit_cast<float>(sign | (magnitude >= 0x7c00u ? special : value));
}

template <typename T, typename F>
std::vector<float> DecodeEach(std::span<const uint8_t> bytes, F decode) {
  std::vector<float> floats(bytes.size() / sizeof(T));
  for (size_t i = 0; i < floats.size(); ++i) {
    T bits;
    std::memcpy(&bits, bytes.data() + i * sizeof(T), sizeof(T));
    floats[i] = decode(bits);
  }
  return floats;
}

}  // namespace

std::vector<float> DecodeFloats(std::span<const uint8_t> bytes, FloatFormat format) {
  if (format.mantissa_bits == kHalf.mantissa_bits) return DecodeEach<uint16_t>(bytes, DecodeHalf);
  if (format.mantissa_bits == kBrain.mantissa_bits) {
    return DecodeEach<uint16_t>(
        bytes, [](uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); });
  }
  if (format.mantissa_bits == kSingle.mantissa_bits) {
    return DecodeEach<uint32_t>(bytes, [](uint32_t bits) { return std::bit_cast<float>(bits); });
  }
  return DecodeEach<uint64_t>(bytes,
                              [](uint64_t bits) { return static_cast<float>(std::bit_cast<double>(bits)); });
}

uint64_t EncodeFloat(double value, FloatFormat format) {
  const uint64_t sign =
      std::signbit(value) ? uint64_t{1} << (format.mantissa_bits + format.exponent_bits) : 0;
  if (value == 0) return sign;
  // To a multiple of the unit in the last place, which does not go below that of the subnormal numbers.
  int exponent = 0;
  std::frexp(value, &exponent);  // |value| in [2^(exponent - 1), 2^exponent)
  const int unit = std::max(exponent - 1 - format.mantissa_bits, 1 - format.bias() - format.mantissa_bits);
  const double units = std::nearbyint(std::ldexp(std::fabs(value), -unit));
  const auto significand = static_cast<uint64_t>(units);                     // at most 2^(mantissa_bits + 1)
  const int64_t binade = unit - (1 - format.bias() - format.mantissa_bits);  // 0 for subnormal numbers
  // A significand that reaches the next power of two carries into the exponent, as it should: the
  // encodings of successive numbers are successive integers.
  const uint64_t magnitude = (static_cast<uint64_t>(binade) << format.mantissa_bits) + significand;
  const uint64_t infinity = static_cast<uint64_t>(format.all_ones()) << format.mantissa_bits;
  return sign | std::min(magnitude, infinity);
}

}  // namespace tally::frontend
