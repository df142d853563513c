// Gas and precision rules that the layout rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// For each operand its place, and each element of the result.
WideGas GasConcatenate(const GasContext& c);

}  // namespace tally
