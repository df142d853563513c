// Loops of the table family.
#pragma once

#include "ops/cpu/isa.h"

namespace tally {

// y = clamp((P + half) >> shift + zero_out, lo, hi), P being the product of mantissa and exponent or their
// sum.
struct NormalizedArgs {
  const int64_t *mantissas, *exponents;
  bool product;
  int64_t half, shift, zero_out, lo, hi;
};

// The same in 32 bits: entries, their differences, quotients and what they become below 2^31, P below 2^62.
struct NarrowNormalizedArgs {
  const int32_t *mantissas, *exponents;  // there are 32 exponents
  bool product;
  int64_t half, shift;
  int32_t zero_out, lo, hi;
};

struct TableLoops {
  // y[i] = table[uint8_t(x[i])], by storage of the 256 entries and of y.
  void (*byte_lookup[4])(const int8_t* x, const void* table, void* y, int64_t n);
  // y[i] = table[clamp(x[i] - offset, 0, last)], by storage of x and of table and y.
  void (*lookup[4][4])(const void* x, int64_t offset, int64_t last, const void* table, void* y, int64_t n);
  // By the binades of x > 0 (ops/cpu/binade.h).
  void (*normalized)(const int64_t* x, int64_t n, const NormalizedArgs& args, int64_t* y);
  void (*narrow_normalized)(const int32_t* x, int64_t n, const NarrowNormalizedArgs& args, int32_t* y);
};

TALLY_DECLARE_LOOPS(TableLoops)

#if defined(__x86_64__)
namespace avx512 {
// The byte lookup of bytes by vpermi2b, which needs AVX512_VBMI.
void LookUpBytesVbmi(const int8_t* x, const void* table, void* y, int64_t n);
}  // namespace avx512
#endif

}  // namespace tally
