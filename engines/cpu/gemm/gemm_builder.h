// Steps for convolutions and products of matrices on micro-kernels.
#pragma once

#include <optional>

#include "engines/compile/fusion_groups.h"
#include "engines/cpu/program/step_builder.h"

namespace tally::cpu {

// Instruction `step` as a GEMM that micro-kernels compute, or nothing if it is none.
std::optional<GemmForm> FindGemm(const FunctionView& function, size_t step);

// Adds the steps of `fused`, whose GEMM FindGemm finds.
void AddGemm(StepBuilder& builder, const FusionGroup& fused);

}  // namespace tally::cpu
