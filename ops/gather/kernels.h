// Kernels of the gather family.
#pragma once

#include "ops/kernel.h"
#include "ops/simd/isa.h"

namespace tally {

bool AcceptsGather(const KernelFacts& facts);

// clang-format off
template <Isa> void TakeKernel(const KernelCall& call) noexcept;
template <Isa> void GatherKernel(const KernelCall& call) noexcept;
// clang-format on

}  // namespace tally
