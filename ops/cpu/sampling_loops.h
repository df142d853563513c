// Loops over the channels of positions between pixels: weighted sums of the same pixels in all of them.
#pragma once

#include <cstdint>

#include "ops/cpu/isa.h"

namespace tally {

// Element places[k] + c * channel_stride of x is tap k of channel c.
struct TapsArgs {
  const void* x;
  const int64_t *places, *weights;
  int64_t taps;
  int64_t channels, channel_stride;
};

// floor((sum * scale + half) / divisor) with |sum * scale| + half below 2^63, scale a power of two: by a
// shift where the divisor is a power of two, else with magic = floor(2^64 * (2^bits - divisor) / divisor) + 1
// for 2^(bits - 1) < divisor < 2^bits (Granlund and Montgomery, "Division by invariant integers using
// multiplication", 1994).
struct QuotientArgs {
  int64_t scale, half;
  int bits;
  bool by_shift;
  uint64_t magic;
};

// What becomes of the taps of a position.
enum class Gathering : uint8_t {
  kSum,
  kGreatestTap,  // the maximum of all weight * tap
  kGreatestSum,  // the maximum of the sums between calls of EndSample
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
