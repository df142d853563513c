// Loops over the channels of positions between pixels: weighted sums of the same pixels in all of them.
#pragma once

#include <cstdint>

#include "ops/common/sampling.h"
#include "ops/cpu/isa.h"

namespace tally {

// Element places[k] + c * channel_stride of x is tap k of channel c.
struct TapsArgs {
  const void* x;
  const int64_t *places, *weights;
  int64_t taps;
  int64_t channels, channel_stride;
};

struct SamplingLoops {
  // sums[c] += the sum of weight * tap, modulo 2^64. By storage of x.
  void (*sum[4])(const TapsArgs& args, int64_t* sums);
  // greatest[c] = the maximum of itself and of each weight * tap. By storage of x.
  void (*greatest_tap[4])(const TapsArgs& args, int64_t* greatest);
  // greatest[c] = max(greatest[c], x[c])
  void (*greatest)(const int64_t* x, int64_t n, int64_t* greatest);
  // y[c * stride] = the quotient of sums[c]. By storage of y.
  void (*divide[4])(const int64_t* sums, int64_t n, const QuotientArgs& args, void* y, int64_t stride);
};

TALLY_DECLARE_LOOPS(SamplingLoops)

}  // namespace tally
