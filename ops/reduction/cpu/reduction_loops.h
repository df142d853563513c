// Loops of the reduction family.
#pragma once

#include "ops/cpu/isa.h"

namespace tally {

struct ReductionLoops {
  // By number of the ReduceKind and storage: all of x to one number, modulo 2^64.
  int64_t (*run[4][4])(const void* x, int64_t n);
  // y[i] = op(y[i], x[i]), of one storage.
  void (*accumulate[4][4])(const void* x, void* y, int64_t n);
  // y[i] += x[i], by the storages of x and y.
  void (*add[4][4])(const void* x, void* y, int64_t n);
  // The first or the last position of a value that is there. [last]
  int64_t (*find[4][2])(const void* x, int64_t n, int64_t value);
  // Where x[i] beats best[i]: best[i] = x[i], index[i] = k. [storage][ties win][min]
  void (*lead[4][2][2])(const void* x, void* best, int32_t* index, int64_t n, int32_t k);
};

TALLY_DECLARE_LOOPS(ReductionLoops)

}  // namespace tally
