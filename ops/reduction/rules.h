// Gas and precision rules and read sets that the reduction rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
#include "ops/read_set.h"
#include "ops/reduction/attrs.h"

namespace tally {

// p + bitlen(elements of x for each result).
std::vector<int> PrecisionOfReducedSum(const PrecisionContext& c);

template <typename Attrs>
Region ReducedSlice(const ReadContext& c, int operand);
Region SummedLine(const ReadContext& c, int operand);

template <typename Attrs>
inline constexpr OperandReads kReadsSlice[] = {
    {Reach::kMany, "the slice that is reduced to it", ReducedSlice<Attrs>, kExactly}};
// A slice of one element is not read: its position is 0.
inline constexpr OperandReads kReadsExtreme[] = {
    {Reach::kMany, "the slice that is reduced to it", ReducedSlice<ArgExtremeAttrs>}};
inline constexpr OperandReads kReadsPrefix[] = {
    {Reach::kMany, "its line along the axis, up to it", SummedLine, kExactly}};

}  // namespace tally
