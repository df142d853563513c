// Gas and precision rules and read sets that the layout rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
#include "ops/read_set.h"

namespace tally {

// For each operand its place, and each element of the result.
WideGas GasConcatenate(const GasContext& c);
// Each element of the result, and twice the work of a small instruction: engines broadcast, and then move
// where layouts differ.
WideGas GasRepetition(const GasContext& c);

inline constexpr OperandReads kReadsSliceLike[] = {
    {Reach::kOne, "the element at its place"},
    {Reach::kNothing, "nothing: its shape matters"},
};
inline constexpr OperandReads kReadsReversed[] = {
    {Reach::kNamed, "one element of its sequence"},
    {Reach::kOne, "the length of its sequence"},
};

}  // namespace tally
