// Gas rules and read sets that the recurrent rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
#include "ops/read_set.h"

namespace tally {

// For each step of each sequence the sums of the gates and their activations, and what a step takes by
// itself.
WideGas GasRecurrent(const GasContext& c);

// The same, and the projection.
WideGas GasLstm(const GasContext& c);

template <typename Attrs>
Region PartOfSequence(const ReadContext& c, int operand);

template <typename Attrs>
inline constexpr OperandReads kReadsRecurrent[] = {
    {Reach::kMany, "what belongs to its sequence and its direction", PartOfSequence<Attrs>},
};

}  // namespace tally
