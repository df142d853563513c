// Gas and precision rules that the pooling rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// The elements of every window, those of padding included.
WideGas GasMaxPool2d(const GasContext& c);
WideGas GasMaxPool(const GasContext& c);
WideGas GasWindowSum(const GasContext& c);
// The same and, for every window, its index.
WideGas GasMaxPoolIndices(const GasContext& c);
// The same and, for every window, product, division, addition and clamp.
WideGas GasAveragePool(const GasContext& c);

}  // namespace tally
