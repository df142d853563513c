// Gas and precision rules that the reduction rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// p + bitlen(elements of x for each result).
std::vector<int> PrecisionOfReducedSum(const PrecisionContext& c);

}  // namespace tally
