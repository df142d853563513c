// Gas and precision rules and read sets that the table rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
#include "ops/read_set.h"

namespace tally {

// For each element the clamp of its index and the load; once the table, which engines may prepare.
WideGas GasLookup(const GasContext& c);

// For each element its binade, the interpolation, the combination.
WideGas GasNormalizedTable(const GasContext& c);

// p1: that of the table.
std::vector<int> PrecisionOfTable(const PrecisionContext& c);

inline constexpr OperandReads kReadsTable[] = {
    {Reach::kOne, "the element with its number", SameElement, kExactly},
    {Reach::kNamed, "the entry that x names"},
};
inline constexpr OperandReads kReadsTwoTables[] = {
    {Reach::kOne, "the element with its number", SameElement, kExactly},
    {Reach::kNamed, "two entries"},
    {Reach::kNamed, "one entry"},
};

}  // namespace tally
