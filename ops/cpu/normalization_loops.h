// Loops over one row of i32: exponentials, their sums and quotients, responses.
#pragma once

#include "ops/cpu/isa.h"

namespace tally {

// x [n, width], less its zero point; windows slide over n. y = clamp(((x * P + half) >> shift) + zero_out)
// with P = mantissa * exponent / 2^31 of bias + alpha * the sum of squares.
struct ResponseArgs {
  const int64_t* x;
  int64_t n, width, before, after;
  int64_t alpha, bias;
  const int64_t *mantissas, *exponents;
  int64_t half, shift, zero_out, lo, hi;
};

struct NormalizationLoops {
  int32_t (*max)(const void* x, int64_t n);  // for i32
  // e[i] = table[max - x[i]], or 0 after its end; the sum of all. By storage of the table, x in i32.
  int64_t (*exponentials[3])(const void* x, int64_t n, int32_t max, const void* table, int64_t entries,
                             int32_t* e);
  // y = clamp((e * r + half) >> shift, lo, hi) + zero_out, r of any size or below 2^32.
  void (*scale[2])(const int32_t* e, int32_t* y, int64_t n, uint64_t r, int64_t shift, int64_t lo, int64_t hi,
                   int64_t zero_out);
  // y = clamp(((x - max) * m + b) >> shift, lo, hi) + zero_out
  void (*logarithms)(const int32_t* x, int32_t* y, int64_t n, int32_t max, int64_t m, int64_t b,
                     int64_t shift, int64_t lo, int64_t hi, int64_t zero_out);
  // y [n, width]; as much is used in between at `squares`.
  void (*respond)(const ResponseArgs& args, int64_t* squares, int64_t* y);
  // The same to given sums of squares.
  void (*respond_to)(const ResponseArgs& args, const int64_t* squares, int64_t* y);
};

TALLY_DECLARE_LOOPS(NormalizationLoops)

}  // namespace tally
