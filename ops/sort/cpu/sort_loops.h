// Loops of the sort family.
#pragma once

#include <cstdint>

#include "ops/cpu/isa.h"

namespace tally {

// keys[i] = distance << position_bits | position, of elements i * stride: the distance from the interval's
// low end, or from its high end where the greatest come first.
struct KeyArgs {
  int64_t stride;
  int64_t origin;  // that end
  bool descending;
  int position_bits;
  int64_t first;  // position of element 0
};

struct SortLoops {
  // By storage.
  void (*keys[4])(const void* x, int64_t n, const KeyArgs& args, uint64_t* keys);
  // The values that keys hold.
  void (*values)(const uint64_t* keys, int64_t n, const KeyArgs& args, int64_t* values);
  void (*positions)(const uint64_t* keys, int64_t n, const KeyArgs& args, int64_t* positions);
};

TALLY_DECLARE_LOOPS(SortLoops)

}  // namespace tally
