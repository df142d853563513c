// Loops of the comparison family over dense chunks.
#pragma once

#include "ops/cpu/isa.h"

namespace tally {

struct ComparisonLoops {
  // y[i] = a[i] ? b[i], 0 or 1. By number of the Comparison and code of the storage of a and b.
  void (*compare[6][4])(const void* a, const void* b, int8_t* y, int64_t n);
  // y[i] = x[i] != 0, by storage.
  void (*is_true[4])(const void* x, int8_t* y, int64_t n);
  // r[i] = condition[i] ? x[i] : y[i], by storage.
  void (*select[4])(const int8_t* condition, const void* x, const void* y, void* r, int64_t n);
};

TALLY_DECLARE_LOOPS(ComparisonLoops)

}  // namespace tally
