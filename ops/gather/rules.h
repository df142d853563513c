// Gas and precision rules that the gather rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// One step for each element of every operand but the first, and the bytes of the result.
WideGas GasGather(const GasContext& c);
// The same: each update is one step.
WideGas GasScatter(const GasContext& c);
// One step for each element of the mask, and the bytes of both results.
WideGas GasCompact(const GasContext& c);

}  // namespace tally
