// Gas and precision rules that the image rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// Two units for every tap of a result and one for its rounding or its place.
WideGas GasResample(const GasContext& c);
WideGas GasCropResize(const GasContext& c);
WideGas GasGridSample(const GasContext& c);

}  // namespace tally
