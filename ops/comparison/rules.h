// Gas and precision rules and read sets that the comparison rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
#include "ops/read_set.h"

namespace tally {

// A choice for each element, and the loops of three operands to begin; `select` broadcasts them.
WideGas GasSelect(const GasContext& c);

// max(p0, 2): the published p0, and 2 where that cannot hold the result 1.
std::vector<int> PrecisionOfGreater(const PrecisionContext& c);
// max(p1, p2): that of both sources. CVM publishes the precision of the condition, which proves nothing.
std::vector<int> PrecisionOfWhere(const PrecisionContext& c);

inline constexpr OperandReads kReadsWhere[] = {
    {Reach::kOne, "the element with its number, or of its row"},
    {Reach::kOne, "the element with its number, if it is chosen", SameElement},
    {Reach::kOne, "the element with its number, if it is chosen", SameElement},
};

inline constexpr OperandReads kReadsSelect[] = {
    {Reach::kOne, "the element that is broadcast to it", BroadcastElement, kExactly},
    {Reach::kOne, "the element that is broadcast to it, if it is chosen", BroadcastElement},
    {Reach::kOne, "the element that is broadcast to it, if it is chosen", BroadcastElement},
};

}  // namespace tally
