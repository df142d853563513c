// Gas and precision rules that the control rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// The precision of the widest element.
std::vector<int> PrecisionOfConstant(const PrecisionContext& c);

}  // namespace tally
