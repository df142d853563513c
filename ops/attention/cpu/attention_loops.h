// Loops of attention over the keys of one query.
#pragma once

#include <cstdint>

#include "ops/cpu/isa.h"

namespace tally {

// y = clamp(((x * multiplier + half) >> shift) + addends[i * addend_step], lo, hi)
struct RoundArgs {
  int64_t multiplier, half, shift;
  const int64_t* addends;
  int64_t addend_step;  // 0 or 1
  int64_t lo, hi;
};

struct AttentionLoops {
  // scores[s] = the sum over i < n of query[i] * keys[s * n + i]. Of i16 and bytes or i16, sums below 2^31,
  // by storage of the keys; or of i64 and any storage, modulo 2^64.
  void (*narrow_scores[2])(const int16_t* query, const void* keys, int64_t n, int64_t count, int64_t* scores);
  void (*scores[4])(const int64_t* query, const void* keys, int64_t n, int64_t count, int64_t* scores);
  // sums[c] = the sum over s < count of weights[s] * values[s * columns + c], i32 or i64 as `wide` says.
  // Modulo 2^32 or 2^64; by storage of the values.
  void (*means[4][2])(const int32_t* weights, const void* values, int64_t count, int64_t columns, void* sums);
  // weights = 256 * high + low, each within -2^14 .. 2^14: bytes.
  void (*split)(const int32_t* weights, int64_t n, uint8_t* low, uint8_t* high);
  // low += 256 * high, modulo 2^32.
  void (*join)(int32_t* low, const int32_t* high, int64_t n);
  void (*round)(const int64_t* x, int64_t n, const RoundArgs& args, int64_t* y);
};

TALLY_DECLARE_LOOPS(AttentionLoops)

}  // namespace tally
