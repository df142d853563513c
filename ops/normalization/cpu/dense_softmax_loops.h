// Loops of softmax and log_softmax over rows that are dense, from storage to storage.
#pragma once

#include "ops/cpu/isa.h"

namespace tally {

// clamp(v, lo, hi) + zero_out. All of it has 16 bits.
struct I16Args {
  int64_t shift, lo, hi, zero_out;
};

// As many rows as share so many exponentials go together.
inline constexpr int64_t kDenseExponentials = 2048;

// Exponentials are e = table[greatest - x], or 0 after its end; no entry is above 2^30.
struct DenseSoftmaxArgs {
  const void* x;
  void* y;
  int64_t rows, length;
  const int32_t* table;
  int64_t entries;
  int32_t* e;  // room for a row, and for kDenseExponentials
  // The last step for the elements of a row: the reciprocal of the sum of its exponentials or the addend.
  int64_t (*term)(const void* context, int64_t sum, int32_t greatest);
  const void* context;
  int32_t multiplier;  // log_softmax's
  I16Args i16;

  // Exponentials of a row are in blocks of 32.
  static constexpr int64_t RoomOf(int64_t length) { return (length + 31) / 32 * 32; }
};

// By storage of x and of y, i8 or i16; null where there is nothing better than the loops of
// normalization_loops.h.
struct DenseSoftmaxLoops {
  // y = clamp((e * term + half) >> shift), term below 2^32 and 33 <= shift.
  void (*softmax[2][2])(const DenseSoftmaxArgs& args);
  // y = clamp((x * multiplier + term) >> shift), 32 <= shift.
  void (*log_softmax[2][2])(const DenseSoftmaxArgs& args);
};

TALLY_DECLARE_LOOPS(DenseSoftmaxLoops)

}  // namespace tally
