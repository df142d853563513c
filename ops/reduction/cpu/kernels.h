// Kernels of the reduction family. All of them take operands of any storages.
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"

namespace tally {

bool AcceptsReduction(const KernelFacts& facts);

// clang-format off
template <Isa, Layout> void ReduceSumKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void ReduceMaxKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void ReduceKernel(const KernelCall& call) noexcept;
template <Isa> void ArgExtremeKernel(const KernelCall& call) noexcept;
template <Isa> void CumulativeSumKernel(const KernelCall& call) noexcept;
// clang-format on

}  // namespace tally
