// Loops of layer_norm and rms_norm over one row.
#pragma once

#include "ops/cpu/isa.h"

namespace tally {

// The sum of d = x - origin and that of d^2, each modulo 2^64.
struct Moments {
  int64_t sum, squares;
};

// y = clamp((z * m + b) >> shift, lo, hi) + zero_out with z = (n * r + root_half) >> root_shift and
// n = (x - origin) * length - sum. b holds half a unit.
struct NormArgs {
  int32_t origin, length, sum, r;
  int64_t root_half, root_shift;
  const int64_t *m, *b;
  bool per_element;  // else m and b are the same for a whole row
  int64_t shift, lo, hi, zero_out;
};

inline constexpr int64_t kMostBlock = 32;

struct NormLoops {
  // The moments of i32. n times every |d| is below 2^31.
  Moments (*moments)(const int32_t* x, int64_t n, int32_t origin);
  void (*normalize[2])(const int32_t* x, int32_t* y, int64_t n, const NormArgs& args);  // [per_element]

  // The same from storage to storage, of 8 to 32 bits; null where there is nothing better than the loops
  // above. Rows of x below 32 bits have at most 32,767 elements and origin 0, and squares up to `square`. m
  // fits 32 bits; 32 <= shift; lo <= INT32_MAX and hi >= INT32_MIN, and where y is below 32 bits lo, hi and
  // zero_out have 16. m and b are in blocks of `block` elements, those four apart side by side: 0, 4, 8 ..,
  // then 2, 6 .., 1, 5 .. and 3, 7 ..; all of the last block can be read, and where per_element is not set
  // there is but one.
  int64_t block;  // at most kMostBlock
  Moments (*dense_moments[3])(const void* x, int64_t n, int32_t origin, int64_t square);
  void (*dense_normalize[3][3])(const void* x, void* y, int64_t n, const NormArgs& args);
};

TALLY_DECLARE_LOOPS(NormLoops)

}  // namespace tally
