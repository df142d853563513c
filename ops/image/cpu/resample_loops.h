// Loops of resample.
#pragma once

#include <cstdint>

#include "ops/cpu/isa.h"

namespace tally {

// y[p * n + i] = the sum over t of weights[p * taps + t] * x[places[p * taps + t] + i], p < count and i < n,
// modulo what y holds.
struct PixelArgs {
  const void* x;
  const int64_t *places, *weights;
  int64_t taps, count, n;
};

struct ResampleLoops {
  // By storage of x and of y.
  void (*pixels[4][4])(const PixelArgs& args, void* y);
  // The same where there is one tap of weight 1, which is another storage at most.
  void (*copies[4][4])(const PixelArgs& args, void* y);
};

TALLY_DECLARE_LOOPS(ResampleLoops)

}  // namespace tally
