// The power by which local_response_norm multiplies.
#pragma once

#include "ops/common/binade.h"

namespace tally {

// M(mantissa of u) * X[exponent of u] / 2^31, half up; 0 < u < 2^62.
template <typename Int, typename List>
constexpr Int ResponsePower(const Int& u, const List& mantissas, const List& exponents) {
  const Binade<Int> binade(u);
  const Int product(binade.Interpolate(mantissas) * exponents[binade.exponent]);
  return RoundShift<Int>(Rounding::kHalfUp, product, 31, false);
}

}  // namespace tally
