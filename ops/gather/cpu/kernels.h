// Kernels of the gather family. All of them take operands of any storages.
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"

namespace tally {

bool AcceptsGather(const KernelFacts& facts);
int64_t CompactScratchBytes(const KernelFacts& facts);

// clang-format off
template <Isa> void TakeKernel(const KernelCall& call) noexcept;
template <Isa> void GatherKernel(const KernelCall& call) noexcept;
template <Isa> void GatherNdKernel(const KernelCall& call) noexcept;
template <Isa> void GatherElementsKernel(const KernelCall& call) noexcept;
template <Isa> void GatherTreeKernel(const KernelCall& call) noexcept;
template <Isa> void ScatterKernel(const KernelCall& call) noexcept;
template <Isa> void ScatterNdKernel(const KernelCall& call) noexcept;
template <Isa> void ScatterElementsKernel(const KernelCall& call) noexcept;
template <Isa> void CompactKernel(const KernelCall& call) noexcept;
// clang-format on

}  // namespace tally
