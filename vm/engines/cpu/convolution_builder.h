// The steps of a convolution on micro-kernels.
#pragma once

#include "vm/engines/cpu/program_builder.h"
#include "vm/engines/fusion.h"

namespace tally::cpu {

// `fused`: its GEMM is a convolution or a conv_transpose that ConvolutionFormats takes.
void AddConvolution(ProgramBuilder& builder, const FusionGroup& fused);

}  // namespace tally::cpu
