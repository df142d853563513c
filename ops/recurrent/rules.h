// Gas rules that the recurrent rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// For each step of each sequence the sums of the gates and their activations, and what a step takes by
// itself.
WideGas GasRecurrent(const GasContext& c);

// The same, and the projection.
WideGas GasLstm(const GasContext& c);

}  // namespace tally
