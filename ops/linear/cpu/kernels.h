// Kernels of the linear family: the calls that ops/cpu/gemm does not take.
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"

namespace tally {

inline bool AcceptsLinear(const KernelFacts&) { return true; }
int64_t GemmScratchBytes(const KernelFacts& facts);

// Threads share blocks of pixels and channels, or of rows and columns.
// clang-format off
template <Isa> void ConvolutionKernel(const KernelCall& call) noexcept;
template <Isa> void ConvTransposeKernel(const KernelCall& call) noexcept;
template <Isa> void DeformableConv2dKernel(const KernelCall& call) noexcept;
template <Isa> void MatmulKernel(const KernelCall& call) noexcept;
// clang-format on

}  // namespace tally
