// Gas and precision rules and read sets that the gather rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
#include "ops/read_set.h"

namespace tally {

// Each element of the result, and each of its runs.
WideGas GasTake(const GasContext& c);
// The same, and each index or update by itself.
WideGas GasGather(const GasContext& c);
// The same: each update is one step.
WideGas GasScatter(const GasContext& c);
// The same: each element of the mask is one step.
WideGas GasCompact(const GasContext& c);

inline constexpr OperandReads kReadsTake[] = {
    {Reach::kNamed, "the one element that its index names"},
    {Reach::kOne, "its index"},
};
inline constexpr OperandReads kReadsGatherNd[] = {
    {Reach::kNamed, "the one element that its tuple names"},
    {Reach::kNamed, "its tuple of indices"},
};
Region BeamsOfBatch(const ReadContext& c, int operand);

inline constexpr OperandReads kReadsBeams[] = {
    {Reach::kMany, "the steps of its batch", BeamsOfBatch},
    {Reach::kMany, "the parents of its batch", BeamsOfBatch},
    {Reach::kOne, "the length of its batch"},
    {Reach::kOne, "the end"},
};
inline constexpr OperandReads kReadsScatter[] = {
    {Reach::kOne, "the element with its number", SameElement, kExactly},
    {Reach::kMany, "the indices that may name it"},
    {Reach::kMany, "the updates that may meet it"},
};
inline constexpr OperandReads kReadsCompact[] = {
    {Reach::kNamed, "the one element that is moved to it"},
    {Reach::kMany, "the mask"},
};

}  // namespace tally
