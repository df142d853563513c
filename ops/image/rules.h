// Gas and precision rules and read sets that the image rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
#include "ops/read_set.h"

namespace tally {

// For each result its taps, its place and its rounding.
WideGas GasResample(const GasContext& c);
WideGas GasCropResize(const GasContext& c);
WideGas GasGridSample(const GasContext& c);

Region ResampledLine(const ReadContext& c, int operand);
Region RowOfTaps(const ReadContext& c, int operand);

inline constexpr OperandReads kReadsResample[] = {
    {Reach::kMany, "the elements of its line that its taps name", ResampledLine},
    {Reach::kMany, "its row of indices", RowOfTaps, kExactly},
    {Reach::kMany, "its row of weights", RowOfTaps, kExactly},
};
inline constexpr OperandReads kReadsCropResize[] = {
    {Reach::kNamed, "four pixels of its channel"},
    {Reach::kNamed, "its box"},
    {Reach::kOne, "the image of its box"},
};
inline constexpr OperandReads kReadsGridSample[] = {
    {Reach::kNamed, "at most sixteen pixels of its channel"},
    {Reach::kNamed, "its point of the grid"},
};

}  // namespace tally
