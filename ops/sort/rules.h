// Gas and precision rules and read sets that the sort rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
#include "ops/read_set.h"

namespace tally {

// The comparisons of a sort of the longest line that the operand could be, and each element of the results.
WideGas GasSort(const GasContext& c);
// Such comparisons for slices, which are apart.
WideGas GasUnique(const GasContext& c);

template <typename Attrs>
Region SortedLine(const ReadContext& c, int operand);

template <typename Attrs>
inline constexpr OperandReads kReadsLine[] = {
    {Reach::kMany, "its line along the axis", SortedLine<Attrs>, kExactly}};
inline constexpr OperandReads kReadsAll[] = {{Reach::kMany, "all elements", Everything, kExactly}};

}  // namespace tally
