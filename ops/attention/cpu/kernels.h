// Kernels of the attention family.
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"

namespace tally {

// A table of exponentials of at most 32 bits.
bool AcceptsAttention(const KernelFacts& facts);
// What belongs to one query.
int64_t AttentionScratchBytes(const KernelFacts& facts);

// Threads share the queries.
template <Isa>
void AttentionKernel(const KernelCall& call) noexcept;

// The micro-kernels of ops/cpu/gemm that a row is for.
enum class BlockUnit : uint8_t { kAvx2, kVnni, kAmx };

// Elements of at most 16 bits, sums of 32, and more than a few queries.
template <BlockUnit>
bool AcceptsBlockAttention(const KernelFacts& facts);
// The packed keys and values, and what belongs to a block of queries.
template <BlockUnit>
int64_t BlockAttentionScratchBytes(const KernelFacts& facts);

// Threads share the blocks of queries.
template <Isa, BlockUnit>
void BlockAttentionKernel(const KernelCall& call) noexcept;

}  // namespace tally
