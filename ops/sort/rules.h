// Gas and precision rules that the sort rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// The comparisons of a sort of the longest line that the operand could be, and the bytes of the results.
WideGas GasSort(const GasContext& c);

}  // namespace tally
