// A convolution of 3 x 3 as ops/cpu/gemm/winograd.h computes it, some tiles at a time.
#pragma once

#include <memory>
#include <optional>

#include "engines/compile/fusion_groups.h"
#include "engines/cpu/program/operand_formats.h"
#include "engines/cpu/program/step_builder.h"
#include "ops/cpu/gemm/winograd.h"
#include "ops/gemm/convolution_call.h"

namespace tally::cpu {

// The kernel for a convolution that `direct` would compute otherwise, if it pays, four times each sum fits 32
// bits, and the plan may keep the points of its weights. These are then taken from what it may keep.
const WinogradKernel* WinogradFor(const StepBuilder& builder, const FusionGroup& fused,
                                  const ConvolutionCall& call, const OperandFormats& formats,
                                  const MicroKernel& direct);

// The steps of the convolution, which has neither a pool nor a place in a concatenation.
void AddWinograd(StepBuilder& builder, const FusionGroup& fused, const ConvolutionCall& call,
                 const OperandFormats& formats, const WinogradKernel& kernel);

}  // namespace tally::cpu
