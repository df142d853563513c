// The last step of operators with an exact result in 64 bits: rounding, zero point and clamp.
#pragma once

#include <cstdint>

#include "base/rescale.h"

namespace tally {

// The attributes that OffsetAndClamp and Requantize read.
struct Requantization {
  int64_t shift = 0, zero_out, lo, hi;
};
template <typename Attrs>
constexpr Requantization RequantizationOf(const Attrs& attrs) {
  return {attrs.shift, attrs.zero_out, attrs.lo, attrs.hi};
}

// clamp(v + zero_out, lo, hi)
template <typename Int, typename Attrs>
constexpr Int OffsetAndClamp(const Int& v, const Attrs& attrs) {
  const Int y = Int(v + Int(attrs.zero_out)), lo(attrs.lo), hi(attrs.hi);
  return y < lo ? lo : y > hi ? hi : y;
}

// clamp(round(exact / 2^shift) + zero_out, lo, hi), half up
template <typename Int, typename Attrs>
constexpr Int Requantize(const Int& exact, const Attrs& attrs) {
  const auto shift = static_cast<int>(attrs.shift);
  return OffsetAndClamp<Int>(RoundShift<Int>(Rounding::kHalfUp, exact, shift, false), attrs);
}

}  // namespace tally
