// Gas and precision rules that the image rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// For each result its taps, its place and its rounding.
WideGas GasResample(const GasContext& c);
WideGas GasCropResize(const GasContext& c);
WideGas GasGridSample(const GasContext& c);

}  // namespace tally
