// Gas and precision rules that the elementwise rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// One unit for each multiplication: the largest exponent for each element, at least 1.
WideGas GasPower(const GasContext& c);
// One unit for each bit of a root of a 48-bit value: 24 for each element.
WideGas GasSqrt(const GasContext& c);

// p0 + p1: published one bit wider than a product needs.
std::vector<int> PrecisionOfProduct(const PrecisionContext& c);
// That of the wider bound, whatever the operand's.
std::vector<int> PrecisionOfClip(const PrecisionContext& c);
// 6: bit counts up to 31.
std::vector<int> PrecisionOfBitCount(const PrecisionContext& c);

}  // namespace tally
