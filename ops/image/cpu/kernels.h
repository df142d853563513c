// Kernels of the image family. All of them take operands of any storages.
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"

namespace tally {

bool AcceptsImage(const KernelFacts& facts);
// Sums for each channel.
int64_t ImageScratchBytes(const KernelFacts& facts);
int64_t ResampleScratchBytes(const KernelFacts& facts);

// clang-format off
template <Isa, Layout> void UpsamplingKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void ResampleKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void CropResizeKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void GridSampleKernel(const KernelCall& call) noexcept;
// clang-format on

}  // namespace tally
