// Loops of the pooling family.
#pragma once

#include <cstdint>

#include "ops/simd/isa.h"

namespace tally {

// clamp(round(S * multiplier / (count * 2^shift)) + zero_out) for windows of one count.
//
// floor(n / (count * 2^s)) is floor(floor(n / 2^s) / count), and the quotient of 0 <= n < 2^31 by count is
// n * magic >> magic_shift (magic = floor(2^magic_shift / count) + 1, magic_shift = 31 + bits of count - 1).
struct AverageArgs {
  int64_t bias;        // of S: - zero_in for each tap
  int64_t multiplier;  // doubled where rounding adds a half
  int64_t half;        // count * 2^shift, or 0
  int64_t away;        // 1 where ties of negative products go down
  int64_t shift;       // of the product
  int64_t offset;      // a multiple of count that makes every n positive
  int64_t magic, magic_shift;
  int64_t quotient_offset;  // zero_out - offset / count
  bool words;               // S, its bias and the multiplier are below 2^31
  int64_t lo, hi;
};

// Windows that lie inside x, side by side in channels-last: `columns` taps in each of `count` rows, the first of the
// first window at rows[k]. Steps are of bytes.
struct PlacesArgs {
  const uint8_t* const* rows;
  int count;
  int64_t columns, column_step, place_step;
  int64_t places, channels;
};

struct PoolingLoops {
  // y[p * channels + c] = the maximum of a window. By storage.
  void (*max_places[4])(const PlacesArgs& args, void* y);
  // y[i] = the maximum of rows[k][i], and of y[i] unless these are the first rows. By storage.
  void (*max_rows[4])(const void* const* rows, int count, void* y, int64_t n, bool first);
  // The same for sums of at most 256 rows, from a storage to i32 or i64.
  void (*sum_rows[4][2])(const void* const* rows, int count, void* y, int64_t n, bool first);
  // y[i] = max(y[i], x[i * stride])
  void (*max_columns[4])(const void* x, int64_t stride, void* y, int64_t n);
  // Where x[i * stride] beats best[i]: best[i] = it, positions[i] = position + i * step. By storage of x.
  void (*lead[4])(const void* x, int64_t stride, int64_t* best, int64_t* positions, int64_t n,
                  int64_t position, int64_t step);
  // y[i] += x[i * stride], over i32 or i64
  void (*sum_columns[2])(const void* x, int64_t stride, void* y, int64_t n);
  // Of sums in i32 or i64.
  void (*average[2])(const void* sums, int64_t* y, int64_t n, const AverageArgs& args);
};

TALLY_DECLARE_LOOPS(PoolingLoops)

}  // namespace tally
