// The steps of a product of matrices on micro-kernels.
#pragma once

#include "vm/engines/cpu/program_builder.h"
#include "vm/engines/fusion.h"

namespace tally::cpu {

// `fused`: its GEMM is a matmul that MatmulFormats takes.
void AddMatmul(ProgramBuilder& builder, const FusionGroup& fused);

}  // namespace tally::cpu
