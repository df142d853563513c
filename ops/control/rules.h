// Gas and precision rules and read sets that the control rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
#include "ops/read_set.h"

namespace tally {

// The precision of the widest element.
std::vector<int> PrecisionOfConstant(const PrecisionContext& c);

// 4 for each element of the operands and results, which an engine may move to the layout that the function
// computes in.
WideGas GasOfMovedValues(const GasContext& c);

// The gas of the function, and of the values moved.
WideGas GasCall(const GasContext& c);
// The gas of the branch that costs more, and of the values moved.
WideGas GasIf(const GasContext& c);
// The gas of as many iterations as there may be, of the values moved, and 1024.
WideGas GasLoop(const GasContext& c);

// The trace has what the functions compute; one element of a result is one of theirs.
inline constexpr OperandReads kReadsFunctions[] = {{Reach::kMany, "what the functions read, value by value"}};

}  // namespace tally
