// Kernels of the attention family.
#pragma once

#include "ops/kernel.h"
#include "ops/simd/isa.h"

namespace tally {

// A table of exponentials of at most 32 bits.
bool AcceptsAttention(const KernelFacts& facts);
// What belongs to one query.
int64_t AttentionScratchBytes(const KernelFacts& facts);

// Threads share the queries.
template <Isa>
void AttentionKernel(const KernelCall& call) noexcept;

}  // namespace tally
