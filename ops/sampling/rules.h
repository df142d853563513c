// Gas rules that the sampling rows name.
#pragma once

#include "ops/gas.h"

namespace tally {

// The draw of every element.
WideGas GasRandomUniform(const GasContext& c);
// The sum of every row, and the draw and the search of every element.
WideGas GasRandomCategorical(const GasContext& c);

}  // namespace tally
