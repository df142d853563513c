// How kernels of every engine gather and divide what they sample between pixels. Device code reads it too.
#pragma once

#include <cstdint>

namespace tally {

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

// How the taps of a position are combined.
enum class Gathering : uint8_t {
  kSum,
  kGreatestTap,  // the maximum of all weight * tap
  kGreatestSum,  // the maximum of the sums between calls of EndSample
};

}  // namespace tally
