// The step of a depthwise convolution.
#pragma once

#include "vm/engines/cpu/operand_formats.h"
#include "vm/engines/fusion.h"

namespace tally::cpu {

// `call`, the GEMM of `fused`: of a shape that IsDepthwise.
void AddDepthwise(ProgramBuilder& builder, const FusionGroup& fused, const ConvolutionCall& call,
                  const OperandFormats& formats);

}  // namespace tally::cpu
