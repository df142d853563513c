// Gas and precision rules that the gather rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// Each element of the result, and each of its runs.
WideGas GasTake(const GasContext& c);
// The same, and each index or update by itself.
WideGas GasGather(const GasContext& c);
// The same: each update is one step.
WideGas GasScatter(const GasContext& c);
// The same: each element of the mask is one step.
WideGas GasCompact(const GasContext& c);

}  // namespace tally
