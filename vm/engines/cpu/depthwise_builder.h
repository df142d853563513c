// The step of a depthwise convolution.
#pragma once

#include "ops/linear/packed/rows.h"
#include "vm/engines/cpu/linear_factors.h"
#include "vm/engines/fusion.h"

namespace tally::cpu {

// `shape`, of the sum of `chain`: one that IsDepthwise.
void AddDepthwise(ProgramBuilder& builder, const SumChain& chain, const ConvolutionShape& shape,
                  const Factors& factors);

}  // namespace tally::cpu
