#include "quant/grid/fixed_multiplier.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "base/int_math.h"
#include "base/strings.h"
#include "quant/labels.h"

namespace tally::quant {

absl::StatusOr<FixedMultiplier> ToFixedMultiplier(double gain, uint64_t magnitude, int most_bits) {
  // bits(magnitude) + bits(multiplier) <= 62 keeps the product below 2^62; the rest is below 2^62 too.
  const int bits = std::min(most_bits, 62 - BitLength(magnitude));
  if (!(gain >= 0) || bits < 2) {
    return MakeError(label::lower_gain, absl::StrCat("gain ", gain, " on values of up to ", magnitude));
  }
  if (gain == 0) return FixedMultiplier{};
  int exponent = 0;
  const double mantissa = std::frexp(gain, &exponent);  // in [0.5, 1)
  int64_t shift = bits - exponent;
  if (shift < 0) {
    return MakeError(label::lower_gain, absl::StrCat("gain ", gain, " on values of up to ", magnitude));
  }
  // A gain below 2^-31 keeps shift 62 and loses low bits of its multiplier.
  const int64_t lost = std::max<int64_t>(shift - 62, 0);
  shift -= lost;
  int64_t multiplier =
      std::llround(std::ldexp(mantissa, bits - static_cast<int>(std::min<int64_t>(lost, 64))));
  if (multiplier == int64_t{1} << bits) {  // the mantissa rounded up to 1
    if (shift > 0) {
      multiplier /= 2;
      --shift;
    } else {
      --multiplier;
    }
  }
  return FixedMultiplier{multiplier, shift};
}

int MultiplierBitsOnto(const QuantizedType& to) {
  const bool has_few_codes = to.interval.hi - to.interval.lo < int64_t{1} << kActivationBits;
  return has_few_codes && to.rounding == Rounding::kHalfUp ? kShortMultiplierBits : kMultiplierBits;
}

// multiplier = odd * 2^k, so a tie is an odd multiple of 2^(shift - k - 1).
bool CanTie(const FixedMultiplier& gain, uint64_t magnitude) {
  if (gain.multiplier == 0) return false;
  const int64_t fraction = gain.shift - std::countr_zero(static_cast<uint64_t>(std::abs(gain.multiplier)));
  return fraction > 0 && magnitude >= uint64_t{1} << (fraction - 1);
}

double GainInFloat(double a, double b, double to) {
  const float gain = static_cast<float>(a) * static_cast<float>(b) / static_cast<float>(to);
  return std::isnormal(gain) ? gain : a * b / to;
}

}  // namespace tally::quant
