// Kernels of the sampling family. An element depends on its place alone, so that threads share the elements.
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"

namespace tally {

bool AcceptsSampling(const KernelFacts& facts);
// The sums of a row of weights.
int64_t RandomCategoricalScratchBytes(const KernelFacts& facts);

// clang-format off
template <Isa> void RandomUniformKernel(const KernelCall& call) noexcept;
template <Isa> void RandomCategoricalKernel(const KernelCall& call) noexcept;
// clang-format on

}  // namespace tally
