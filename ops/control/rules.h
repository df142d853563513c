// Gas and precision rules that the control rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// The precision of the widest element.
std::vector<int> PrecisionOfConstant(const PrecisionContext& c);

WideGas GasCall(const GasContext& c);
// Of the branch that costs more.
WideGas GasIf(const GasContext& c);
// Of as many iterations as there may be.
WideGas GasLoop(const GasContext& c);

}  // namespace tally
