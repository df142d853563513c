// The steps of a product of matrices on micro-kernels.
#pragma once

#include "engines/compile/fusion_groups.h"
#include "engines/cpu/program/step_builder.h"

namespace tally::cpu {

// `fused`: its GEMM is a matmul that MatmulFormats takes.
void AddMatmul(StepBuilder& builder, const FusionGroup& fused);

}  // namespace tally::cpu
