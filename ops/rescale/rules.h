// Gas and precision rules that the rescale rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"

namespace tally {

// For each element its multiplications, additions, rounded shift and clamp; rescale: and each multiplier.
WideGas GasRescale(const GasContext& c);
WideGas GasLincomb(const GasContext& c);
WideGas GasCvmShift(const GasContext& c);
WideGas GasMulshift(const GasContext& c);

// The attribute `precision`, whatever the operand's.
std::vector<int> PrecisionOfCvmClip(const PrecisionContext& c);
std::vector<int> PrecisionOfCvmShift(const PrecisionContext& c);

}  // namespace tally
