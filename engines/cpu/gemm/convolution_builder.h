// The steps of a convolution on micro-kernels.
#pragma once

#include "engines/compile/fusion_groups.h"
#include "engines/cpu/program/step_builder.h"

namespace tally::cpu {

// `fused`: its GEMM is a convolution or a conv_transpose that ConvolutionFormats takes.
void AddConvolution(StepBuilder& builder, const FusionGroup& fused);

}  // namespace tally::cpu
