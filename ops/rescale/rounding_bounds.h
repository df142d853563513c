// The obligations and the bounds of one rounding, which every operator of the family shares.
#pragma once

#include <cstdint>

#include "base/rescale.h"
#include "base/wide.h"
#include "ops/tensor_type.h"

namespace tally {

// Whether P and every value that RoundShift makes of it fit int64_t when |P| <= magnitude. The same bound in
// every mode, so that one kernel serves them all: the 2^30 is the first step of kDouble.
inline bool RoundingFits(Int128 magnitude, int64_t shift) {
  const Int128 half = shift == 0 ? 0 : Int128{1} << (shift - 1);
  return magnitude + half + (Int128{1} << 30) <= RangeOf(Storage::kI64).hi;
}

inline bool FitsInt64(const WideInterval& i) {
  return i.Within(RangeOf(Storage::kI64).lo, RangeOf(Storage::kI64).hi);
}

// round(P / 2^shift) + zero_out at both ends of P's interval, which RoundingFits has accepted. Every mode is
// monotone in P: kDouble's nudge grows with the sign of v, which is the sign of P because its m >= 0 and its
// b = 0.
inline WideInterval Rounded(Rounding rounding, const WideInterval& product, int64_t shift, int64_t zero_out) {
  const auto round = [&](Int128 p, bool negative) {
    return RoundShift<int64_t>(rounding, static_cast<int64_t>(p), static_cast<int>(shift), negative);
  };
  return WideInterval(round(product.lo, product.lo < 0), round(product.hi, product.hi < 0)) +
         WideInterval(zero_out, zero_out);
}

}  // namespace tally
