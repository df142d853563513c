// Gas rules and read sets that the sampling rows name.
#pragma once

#include "ops/gas.h"
#include "ops/read_set.h"

namespace tally {

// The draw of every element.
WideGas GasRandomUniform(const GasContext& c);
// The sum of every row, and the draw and the search of every element.
WideGas GasRandomCategorical(const GasContext& c);

inline constexpr OperandReads kReadsSeed[] = {{Reach::kOne, "the iteration"}};
Region RowOfWeights(const ReadContext& c, int operand);

inline constexpr OperandReads kReadsWeights[] = {
    {Reach::kMany, "its row of weights", RowOfWeights, kExactly},
    {Reach::kOne, "the iteration"},
};

}  // namespace tally
