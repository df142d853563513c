// Loops of the gather family.
#pragma once

#include <cstdint>

#include "ops/simd/isa.h"

namespace tally {

// places[i] = base + i * step + place * stride, where place is the index clamped to [0, n): as it is, or counted from
// the back where it is negative.
struct PlaceArgs {
  int64_t n;
  int64_t stride;
  int64_t base;
  int64_t step;
  bool from_back;
};

struct GatherLoops {
  // By storage of the indices.
  void (*places[4])(const void* indices, int64_t count, const PlaceArgs& args, int64_t* places);
  // y[i] = x[places[i]], of one storage.
  void (*gather[4])(const void* x, const int64_t* places, int64_t count, void* y);
};

TALLY_DECLARE_LOOPS(GatherLoops)

}  // namespace tally
