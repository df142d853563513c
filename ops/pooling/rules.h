// Gas and precision rules that the pooling rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// The elements of every window, those of padding included.
WideGas GasMaxPool2d(const GasContext& c);

}  // namespace tally
