// The steps of a product of matrices on block kernels.
#pragma once

#include "vm/engines/cpu/program_builder.h"
#include "vm/engines/fusion.h"

namespace tally::cpu {

// `chain`: its sum is a matmul that MatmulFactors takes.
void AddMatmul(ProgramBuilder& builder, const SumChain& chain);

}  // namespace tally::cpu
