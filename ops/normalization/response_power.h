// The power by which local_response_norm multiplies.
#pragma once

#include "ops/normalization/octave.h"

namespace tally {

// M(mantissa of u) * X[exponent of u] / 2^31, half up; 0 < u < 2^62.
template <typename Int, typename List>
constexpr Int ResponsePower(const Int& u, const List& mantissas, const List& exponents) {
  const Octave<Int> octave(u);
  const Int product(octave.Interpolate(mantissas) * exponents[octave.exponent]);
  return RoundShift<Int>(Rounding::kHalfUp, product, 31, false);
}

}  // namespace tally
