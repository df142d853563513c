// The operands of both kernels of local_response_norm, from their call.
#pragma once

#include "ops/common/binade.h"
#include "ops/cpu/elements.h"
#include "ops/cpu/normalization_loops.h"
#include "ops/cpu/scratch.h"
#include "ops/normalization/attrs.h"

namespace tally {

// The tables of a call, in its working memory.
struct ResponseTables {
  int64_t *mantissas, *exponents;

  explicit ResponseTables(ScratchLayout& scratch)
      : mantissas(scratch.Take<int64_t>(kBinadeEntries)), exponents(scratch.Take<int64_t>(kBinades)) {}

  void Fill(const KernelCall& call) const {
    const Elements from_mantissas(call.operands[1]), from_exponents(call.operands[2]);
    for (int64_t i = 0; i < kBinadeEntries; ++i) mantissas[i] = from_mantissas[i];
    for (int64_t i = 0; i < kBinades; ++i) exponents[i] = from_exponents[i];
  }
};

// A row of `n` elements; what is by window stays for the caller to set.
inline ResponseArgs ResponseArgsOf(const LocalResponseNormAttrs& attrs, const ResponseTables& tables,
                                   const int64_t* x, int64_t n) {
  return {.x = x,
          .n = n,
          .width = 1,
          .before = 0,
          .after = 0,
          .alpha = attrs.alpha,
          .bias = attrs.bias,
          .mantissas = tables.mantissas,
          .exponents = tables.exponents,
          .half = attrs.shift == 0 ? 0 : int64_t{1} << (attrs.shift - 1),
          .shift = attrs.shift,
          .zero_out = attrs.zero_out,
          .lo = attrs.lo,
          .hi = attrs.hi};
}

}  // namespace tally
