// Loops of the pooling family.
#pragma once

#include <cstdint>

#include "ops/cpu/isa.h"

namespace tally {

// y = clamp((((S - bias) * multiplier + addend - (S < bias ? tie : 0)) >> shift) + zero_out, lo, hi) for
// windows of one count. The quotient and all that follows has 32 bits.
struct AverageArgs {
  int64_t bias, multiplier, addend, tie, shift;
  int32_t zero_out, lo, hi;
};

// The same in 16 bits, for small dividends n = S + addend - (S < bias ? tie : 0) >= 0:
// y = clamp((n * magic >> 16) + offset, lo, hi).
struct NarrowAverageArgs {
  int16_t bias, addend, tie;
  uint16_t magic;
  int16_t offset, lo, hi;
};

// Windows that are inside x, side by side in channels-last: `columns` taps in each of `count` rows, the
// first of the first window at rows[k]. Steps are of bytes.
struct PositionsArgs {
  const uint8_t* const* rows;
  int count;
  int64_t columns, column_step, position_step;
  int64_t places, channels;
};

struct PoolingLoops {
  // y[p * channels + c] = the maximum of a window. By storage.
  void (*max_positions[4])(const PositionsArgs& args, void* y);
  // y[i] = the maximum of rows[k][i], and of y[i] unless these are the first rows. By storage.
  void (*max_rows[4])(const void* const* rows, int count, void* y, int64_t n, bool first);
  // The same for sums, from a storage to one that holds them; null for one that is narrower.
  void (*sum_rows[4][4])(const void* const* rows, int count, void* y, int64_t n, bool first);
  // y[i] = max(y[i], x[i * stride])
  void (*max_columns[4])(const void* x, int64_t stride, void* y, int64_t n);
  // Where x[i * stride] beats best[i]: best[i] = it, positions[i] = position + i * step. By storage of x.
  void (*lead[4])(const void* x, int64_t stride, int64_t* best, int64_t* positions, int64_t n,
                  int64_t position, int64_t step);
  // y[i] += x[i * stride], over i16, i32 or i64. By storage.
  void (*sum_columns[4])(const void* x, int64_t stride, void* y, int64_t n);
  // By storage of the sums, i16 or i32, and of y, which has no more.
  void (*average[3][3])(const void* sums, void* y, int64_t n, const AverageArgs& args);
  // The averages of sums in i16. By storage of y.
  void (*narrow_average[2])(const void* sums, void* y, int64_t n, const NarrowAverageArgs& args);
};

TALLY_DECLARE_LOOPS(PoolingLoops)

}  // namespace tally
