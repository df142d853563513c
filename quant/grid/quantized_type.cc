#include "quant/grid/quantized_type.h"

#include <algorithm>
#include <cmath>

namespace tally::quant {
namespace {

constexpr int kMantissaBits = 24;
// Smaller ranges are rounding noise of an all-zero tensor; the scale then only has to be a normal number.
constexpr double kSmallestScale = 0x1p-100;

// a / b to the nearest integer, ties to even, for b > 0. A quotient of doubles can be a tie where that of the
// numbers is none, or miss one; the sign of what is left of a, which fma rounds once, decides. Beyond 2^52
// any integer will do: no grid reaches so far.
double RoundedQuotient(double a, double b) {
  const double quotient = a / b;
  if (!(std::fabs(quotient) < 0x1p52)) return quotient;
  const double below = std::floor(quotient), middle = below + 0.5;
  const double error = 0x1p-50 * (1 + std::fabs(quotient));  // more than the division is wrong by
  const double rest = std::fabs(quotient - middle) > error ? quotient - middle : std::fma(-middle, b, a);
  if (rest != 0) return rest < 0 ? below : below + 1;
  return std::fmod(below, 2) == 0 ? below : below + 1;
}

}  // namespace

int64_t QuantizedType::Quantize(double real) const {
  // Clamp while still in double: the quotient may not fit int64_t.
  const double code = RoundedQuotient(real, scale) + static_cast<double>(zero_point);
  return static_cast<int64_t>(
      std::clamp(code, static_cast<double>(interval.lo), static_cast<double>(interval.hi)));
}

double RoundScaleUp(double scale) {
  int exponent = 0;
  const double mantissa = std::frexp(scale, &exponent);  // in [0.5, 1)
  return std::ldexp(std::ceil(std::ldexp(mantissa, kMantissaBits)), exponent - kMantissaBits);
}

QuantizedType ChooseAffine(double min, double max, int bits) {
  min = std::min(min, 0.0);
  max = std::max(max, 0.0);
  const int64_t half = int64_t{1} << (bits - 1);
  QuantizedType type;
  type.interval = {-half, half - 1};
  type.scale = RoundScaleUp(std::max((max - min) / static_cast<double>(2 * half - 1), kSmallestScale));
  type.zero_point = std::clamp<int64_t>(-half + std::llround(-min / type.scale), -half, half - 1);
  return type;
}

QuantizedType ChooseLong(double min, double max) {
  min = std::min(min, 0.0);
  max = std::max(max, 0.0);
  const int64_t half = int64_t{1} << (kLongBits - 1);
  const double step = std::max((max - min) / static_cast<double>(2 * half - 1), kSmallestScale);
  QuantizedType type = {.scale = std::exp2(std::ceil(std::log2(step))), .interval = {-half, half - 1}};
  type.zero_point = std::clamp<int64_t>(-half + std::llround(-min / type.scale), -half, half - 1);
  return type;
}

QuantizedType ChooseSymmetric(double magnitude, int bits) {
  const int64_t largest = (int64_t{1} << (bits - 1)) - 1;
  const double scale = std::max(magnitude / static_cast<double>(largest), kSmallestScale);
  return {RoundScaleUp(scale), 0, {-largest, largest}};
}

Quantization ToMetadata(const QuantizedType& type) {
  int exponent = 0;
  int64_t multiplier = static_cast<int64_t>(std::ldexp(std::frexp(type.scale, &exponent), kMantissaBits));
  int64_t shift = kMantissaBits - exponent;
  while (multiplier % 2 == 0) {
    multiplier /= 2;
    --shift;
  }
  return {type.zero_point, multiplier, shift};
}

QuantizedType FromMetadata(const Quantization& quantization) {
  return {.scale =
              std::ldexp(static_cast<double>(quantization.multiplier), static_cast<int>(-quantization.shift)),
          .zero_point = quantization.zero_point};
}

}  // namespace tally::quant
