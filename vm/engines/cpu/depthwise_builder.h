// The step of a depthwise convolution.
#pragma once

#include "vm/engines/cpu/linear_factors.h"
#include "vm/engines/fusion.h"

namespace tally::cpu {

// `call`, the sum of `chain`: of a shape that IsDepthwise.
void AddDepthwise(ProgramBuilder& builder, const SumChain& chain, const ConvolutionCall& call,
                  const Factors& factors);

}  // namespace tally::cpu
