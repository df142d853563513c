// Gas and precision rules that the elementwise rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// For each element the multiplications of the largest exponent, at least one.
WideGas GasPower(const GasContext& c);

// p0 + p1: published one bit wider than a product needs.
std::vector<int> PrecisionOfProduct(const PrecisionContext& c);
// That of the wider bound, whatever the operand's.
std::vector<int> PrecisionOfClip(const PrecisionContext& c);
// 6: bit counts up to 31.
std::vector<int> PrecisionOfBitCount(const PrecisionContext& c);

}  // namespace tally
