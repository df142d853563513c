// Gas and precision rules that the table rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// Two units for every element: clamp the index, load the entry.
WideGas GasLookup(const GasContext& c);

// Eight units for every element: the octave, the interpolation, the combination.
WideGas GasNormalizedTable(const GasContext& c);

// p1: that of the table.
std::vector<int> PrecisionOfTable(const PrecisionContext& c);

}  // namespace tally
