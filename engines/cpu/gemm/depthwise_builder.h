// The step of a depthwise convolution.
#pragma once

#include "engines/compile/fusion_groups.h"
#include "engines/cpu/program/operand_formats.h"

namespace tally::cpu {

// `call`, the GEMM of `fused`: of a shape that IsDepthwise.
void AddDepthwise(StepBuilder& builder, const FusionGroup& fused, const ConvolutionCall& call,
                  const OperandFormats& formats);

}  // namespace tally::cpu
