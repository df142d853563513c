// Kernels of the sort family. They sort keys of 64 bits that hold a value and its position (sort_keys.h).
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"

namespace tally {

// Lines whose values and positions fit a key.
bool AcceptsSort(const KernelFacts& facts);
bool AcceptsTopK(const KernelFacts& facts);
bool AcceptsUnique(const KernelFacts& facts);

int64_t SortScratchBytes(const KernelFacts& facts);
int64_t TopKScratchBytes(const KernelFacts& facts);
int64_t UniqueScratchBytes(const KernelFacts& facts);

// Threads share the lines.
// clang-format off
template <Isa> void SortKernel(const KernelCall& call) noexcept;
template <Isa> void ArgSortKernel(const KernelCall& call) noexcept;
template <Isa> void TopKKernel(const KernelCall& call) noexcept;
// clang-format on

// One thread does it all.
template <Isa>
void UniqueKernel(const KernelCall& call) noexcept;

}  // namespace tally
