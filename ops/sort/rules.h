// Gas and precision rules that the sort rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// The comparisons of a sort of the longest line that the operand could be, and each element of the results.
WideGas GasSort(const GasContext& c);
// Such comparisons for slices, which are apart.
WideGas GasUnique(const GasContext& c);

}  // namespace tally
