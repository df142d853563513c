// Loops of resample: sums of products modulo 2^32 or 2^64, whichever holds the result.
#pragma once

#include <cstdint>

#include "ops/simd/isa.h"

namespace tally {

// Tap t of element i is weights[t * n + i] * x[places[t * n + i]]. Weights are i32 or i64 as the sums are.
struct LineArgs {
  const void* x;
  const int32_t* places;
  const void* weights;
  int64_t taps, n;
};

struct ResampleLoops {
  // y[i] = the sum over t of weights[t] * rows[t][i], added to y[i] unless these are the first rows. By storage of x
  // and whether sums are i64.
  void (*rows[4][2])(const void* const* rows, const int64_t* weights, int count, void* y, int64_t n,
                     bool first);
  // y[i] = the sum of the taps of element i.
  void (*line[4][2])(const LineArgs& args, void* y);
};

TALLY_DECLARE_LOOPS(ResampleLoops)

}  // namespace tally
