// The meaning of an integer tensor of the module: real = scale * (integer - zero_point).
#pragma once

#include <cstdint>

#include "base/interval.h"
#include "base/rescale.h"
#include "vm/module.h"

namespace tally::quant {

constexpr int kActivationBits = 8;
// Logits and whatever a softmax or an argmax reads: one step of 8 bits would merge neighbouring classes.
constexpr int kWideBits = 16;
// The type of operands of products for which 8 bits are too few: sums of products with weights of 10 to 16
// bits then still fit in 32 bits, for which engines are several times as fast as for 64.
constexpr int kFactorBits = 14;
// The type of operands of logarithms and roots, if 16 bits of the largest number would make the small ones 0.
constexpr int kLongBits = 31;

struct QuantizedType {
  double scale = 1;  // positive; a dyadic rational with a mantissa of at most 24 bits
  int64_t zero_point = 0;
  Interval interval;
  // How instructions round onto the grid. A grid that is not ours may ask for another way than kHalfUp.
  Rounding rounding = Rounding::kHalfUp;

  // The code of `real`, which is finite (docs/spec/types.md#reals): the integer nearest to real / scale, of
  // two the even one, plus the zero point, within the interval. The quotient is that of the numbers, not of
  // floats.
  int64_t Quantize(double real) const;

  friend bool operator==(const QuantizedType&, const QuantizedType&) = default;
};

// The smallest double >= `scale` whose mantissa has at most 24 bits, so that a range it was made for stays
// covered and products of two scales are exact. `scale` is positive and finite.
double RoundScaleUp(double scale);

// The finest affine type of `bits` bits that covers [min, max] and represents 0 exactly. min <= max, finite.
QuantizedType ChooseAffine(double min, double max, int bits);

// The finest symmetric type of `bits` bits that covers [-magnitude, magnitude].
QuantizedType ChooseSymmetric(double magnitude, int bits);

// As ChooseAffine, with kLongBits and a step that is a power of two.
QuantizedType ChooseLong(double min, double max);

// Whether a table can have an entry for each code.
inline bool FitsIn16Bits(const QuantizedType& type) {
  return type.interval.hi - type.interval.lo < int64_t{1} << kWideBits;
}

// The integers of `x` less `zero_point`.
inline Interval Minus(const Interval& x, int64_t zero_point) {
  return {x.lo - zero_point, x.hi - zero_point};
}

// As module metadata: the scale with an odd multiplier.
Quantization ToMetadata(const QuantizedType& type);
// And back; metadata has no interval.
QuantizedType FromMetadata(const Quantization& quantization);

}  // namespace tally::quant
