// Gas and precision rules and read sets that the rescale rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
#include "ops/read_set.h"

namespace tally {

// For each element its multiplications, additions, rounded shift and clamp; rescale: and each multiplier.
WideGas GasRescale(const GasContext& c);
WideGas GasLincomb(const GasContext& c);
WideGas GasCvmShift(const GasContext& c);
WideGas GasMulshift(const GasContext& c);

// The attribute `precision`, whatever the operand's.
std::vector<int> PrecisionOfCvmClip(const PrecisionContext& c);
std::vector<int> PrecisionOfCvmShift(const PrecisionContext& c);

inline constexpr OperandReads kReadsRescale[] = {
    {Reach::kOne, "the element with its number", SameElement, kExactly},
    {Reach::kOne, "the multiplier of its channel"},
    {Reach::kOne, "the addend of its channel"},
    {Reach::kOne, "the shift of its channel"},
};

}  // namespace tally
