// Gas and precision rules that the detection rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// One comparison for each row and the bytes of both results.
WideGas GasGetValidCounts(const GasContext& c);
// The sort of every row, every test of a candidate against a row that was kept, and the bytes of the result.
WideGas GasNonMaxSuppression(const GasContext& c);

// For each batch the sorts, every test of a candidate against a kept box, and the bytes of both results.
WideGas GasNms(const GasContext& c);
// Every score once, four units for each step, and the bytes of both results.
WideGas GasCtcGreedyDecoder(const GasContext& c);

// bitlen(N * K + 1) + 1 for the counts, max(p, 2) for the rows.
std::vector<int> PrecisionOfGetValidCounts(const PrecisionContext& c);
// max(p, 2): the rows of the operand, and -1.
std::vector<int> PrecisionOfNonMaxSuppression(const PrecisionContext& c);

}  // namespace tally
