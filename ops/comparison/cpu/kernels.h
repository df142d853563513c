// Kernels of the comparison family. All of them take operands of any storages.
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"

namespace tally {

bool AcceptsComparison(const KernelFacts& facts);

// clang-format off
template <Isa, Layout> void WhereKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void GreaterKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void CompareKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void SelectKernelOf(const KernelCall& call) noexcept;
// clang-format on

}  // namespace tally
