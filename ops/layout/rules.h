// Gas and precision rules that the layout rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// For each operand its place, and each element of the result.
WideGas GasConcatenate(const GasContext& c);
// Each element of the result, and twice the work of a small instruction: engines broadcast, and then move
// where layouts differ.
WideGas GasRepetition(const GasContext& c);

}  // namespace tally
