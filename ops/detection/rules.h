// Gas and precision rules and read sets that the detection rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
#include "ops/read_set.h"

namespace tally {

// For each row its comparison and its place, and for each image its count.
WideGas GasGetValidCounts(const GasContext& c);
// The sort of all rows, and every test of a candidate against a row that was kept.
WideGas GasNonMaxSuppression(const GasContext& c);

// For each batch the sorts, and every test of a candidate against a kept box.
WideGas GasNms(const GasContext& c);
// Every score, and every step of every sequence.
WideGas GasCtcGreedyDecoder(const GasContext& c);

// bitlen(N * K + 1) + 1 for the counts, max(p, 2) for the rows.
std::vector<int> PrecisionOfGetValidCounts(const PrecisionContext& c);
// max(p, 2): the rows of the operand, and -1.
std::vector<int> PrecisionOfNonMaxSuppression(const PrecisionContext& c);

Region PartOfBatch(const ReadContext& c, int operand);
Region StepsOfSequence(const ReadContext& c, int operand);

inline constexpr OperandReads kReadsRows[] = {
    {Reach::kMany, "the rows of its batch", PartOfBatch},
    {Reach::kOne, "the count of its batch", PartOfBatch, kExactly},
};
inline constexpr OperandReads kReadsBoxes[] = {
    {Reach::kMany, "all boxes"},
    {Reach::kMany, "all scores"},
};
inline constexpr OperandReads kReadsSequence[] = {
    {Reach::kMany, "the scores of its sequence", StepsOfSequence},
    {Reach::kMany, "the mask of its sequence", StepsOfSequence},
};

}  // namespace tally
