// Sums beyond 32 bits as launches: one for all products of planes that weigh the same, and one that combines them.
#pragma once

#include <vector>

#include "ops/linear/bytes_cuda.h"

namespace tally::cuda {

// Where the columns of y lie: element i is of column i / stride % count.
struct ColumnsOfY {
  int64_t elements;  // of y
  int64_t count, stride;
};

// In place of AddSums, with the same arguments. False too where a part might leave 32 bits.
bool AddS64Accumulation(Work& work, const SumsParams& params, const std::vector<Ref>& memory, int64_t groups,
                        const ColumnsOfY& columns, const SumsChoice& choice);

}  // namespace tally::cuda
