// Products of rows of factors with columns that are side by side, in 64 bits.
#pragma once

#include <cstdint>

#include "ops/cpu/isa.h"

namespace tally {

inline constexpr int64_t kBlockColumns = 32;  // for a block of columns

struct LinearLoops {
  // sums[i][c] += the sum over k < depth of factors[i * factor_step + k] * columns[k][c], for i < rows and c
  // < width, modulo 2^64. [1]: all of them fit 32 bits. Sums of further columns, up to kBlockColumns, may
  // change.
  void (*add_products[2])(const int64_t* factors, int64_t factor_step, int64_t rows, const int64_t* columns,
                          int64_t width, int64_t depth, int64_t* sums);
};

TALLY_DECLARE_LOOPS(LinearLoops)

}  // namespace tally
