// Gas rules that the attention rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// For each query and key the two products, and what softmax and the rescaling of a logit cost.
WideGas GasAttention(const GasContext& c);

}  // namespace tally
