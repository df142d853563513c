// Gas rules and read sets that the attention rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
#include "ops/read_set.h"

namespace tally {

// For each query and key the two products, and what softmax and the rescaling of a logit cost.
WideGas GasAttention(const GasContext& c);

Region QueryRow(const ReadContext& c, int operand);
Region KeysOfBatch(const ReadContext& c, int operand);
Region ColumnOfValues(const ReadContext& c, int operand);

inline constexpr OperandReads kReadsAttention[] = {
    {Reach::kMany, "the row of its query", QueryRow},
    {Reach::kMany, "the keys of its batch", KeysOfBatch},
    {Reach::kMany, "its column of the values of its batch", ColumnOfValues, kExactly},
    {Reach::kMany, "the entries that distances from the largest logit name"},
    {Reach::kMany, "the row of the mask", QueryRow},
};

}  // namespace tally
