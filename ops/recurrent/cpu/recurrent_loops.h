// Loops of the recurrent family. Sums have 64 bits, states 16, entries of tables 32.
#pragma once

#include <cstdint>

#include "ops/cpu/isa.h"

namespace tally {

inline constexpr int64_t kColumnGrain = 32;  // columns of products are zeros up to a multiple of it

// sums[c * sums_stride + r] = the sum of w[r * n + i] * x[c * x_stride + i] over i < n. 2 * ceil(n / 16)
// times any product fits i32.
struct DotArgs {
  const void* w;
  int64_t rows, n;
  const int16_t* x;
  int64_t x_stride, columns;
  int64_t* sums;
  int64_t sums_stride;
};

// y[i] = table[clamp((in[i] + sums[i] * m[i] + weights[i] * values[i]) rounded by shift)], the entry of 0 in
// the middle. sums or weights may be null.
struct GateArgs {
  const int64_t *in, *sums, *m, *weights, *values;
  int64_t n, shift;
  const void* table;
  int64_t entries;
};

struct RecurrentLoops {
  void (*dot[2])(const DotArgs& args);  // by storage of w, i8 or i16
  // y = y * m + b
  void (*scale)(int64_t* y, const int64_t* m, const int64_t* b, int64_t n);
  void (*gates[4])(const GateArgs& args, int32_t* y);  // by storage of the table
  // c = clamp((f * c * 2^(15 - bits) + i * g) rounded by 30 - bits, lo, hi); f is 2^15 - i where it is null.
  void (*cell)(const int32_t* i, const int32_t* f, const int32_t* g, int64_t* c, int64_t n, int64_t bits,
               int64_t lo, int64_t hi);
  // y = a * b rounded by shift
  void (*product)(const int32_t* a, const int32_t* b, int16_t* y, int64_t n, int64_t shift);
  // y = sums * m rounded by shift, clamped to 16 bits
  void (*project)(const int64_t* sums, const int64_t* m, int16_t* y, int64_t n, int64_t shift);
  // q = r * h rounded by 15
  void (*reset)(const int32_t* r, const int16_t* h, int16_t* q, int64_t n);
  // h = z * h + (2^15 - z) * v rounded by 15
  void (*blend)(const int32_t* z, const int32_t* v, int16_t* h, int64_t n);
};

TALLY_DECLARE_LOOPS(RecurrentLoops)

}  // namespace tally
