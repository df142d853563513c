// The steps of a convolution on block kernels.
#pragma once

#include "vm/engines/cpu/program_builder.h"
#include "vm/engines/fusion.h"

namespace tally::cpu {

// `chain`: its sum is a convolution or a conv_transpose that ConvolutionFactors takes.
void AddConvolution(ProgramBuilder& builder, const SumChain& chain);

}  // namespace tally::cpu
