// GEMM with 64-bit results as launches: one for all products of limbs that weigh the same, and one that
// combines them.
#pragma once

#include <vector>

#include "ops/cuda/gemm/byte_gemm.h"

namespace tally::cuda {

// Where the columns of y are: element i is of column i / stride % count.
struct ColumnsOfY {
  int64_t elements;  // y's
  int64_t count, stride;
};

// In place of AddGemm, with the same arguments. False too where a part might leave 32 bits.
bool AddS64Accumulation(Work& work, const GemmParams& params, const std::vector<Ref>& memory, int64_t groups,
                        const ColumnsOfY& columns, const GemmChoice& choice);

}  // namespace tally::cuda
