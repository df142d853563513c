// Kernels of the detection family.
#pragma once

#include "ops/kernel.h"
#include "ops/simd/isa.h"

namespace tally {

bool AcceptsNms(const KernelFacts& facts);
int64_t NmsScratchBytes(const KernelFacts& facts);

// One thread does it all: lists are short and their rows follow each other.
template <Isa>
void NmsKernel(const KernelCall& call) noexcept;

}  // namespace tally
