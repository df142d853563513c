// Elements from one storage to another, one value everywhere, and every k-th element.
#pragma once

#include "ops/simd/isa.h"

namespace tally {

// By codes of storages. A value that is narrowed fits.
struct ConvertLoops {
  void (*convert[4][4])(const void* from, void* to, int64_t n);
  void (*fill[4])(void* to, int64_t n, int64_t value);
  // to[i] = from[i * stride]
  void (*gather[4][4])(const void* from, int64_t stride, void* to, int64_t n);
};

TALLY_DECLARE_LOOPS(ConvertLoops)

}  // namespace tally
