// Kernels of the pooling family. All of them take operands of any storages.
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"
#include "ops/pooling/attrs.h"

namespace tally {

bool AcceptsPool(const KernelFacts& facts);
// Windows over no more than the last three axes, and in channels-last over spatial ones.
bool AcceptsWindowSum(const KernelFacts& facts);

// A row of x, or a group of planes that are transposed (transposed_planes.h).
template <typename Attrs>
int64_t MaxPoolScratchBytes(const KernelFacts& facts);
// The same, and sums of a row of x and of places.
int64_t WindowSumScratchBytes(const KernelFacts& facts);
int64_t AveragePoolScratchBytes(const KernelFacts& facts);
// Values and positions for a row of y.
int64_t PoolIndicesScratchBytes(const KernelFacts& facts);

// Windows over any axes; a line of x and one of y as sums.
bool AcceptsWindowLines(const KernelFacts& facts);
int64_t WindowLinesScratchBytes(const KernelFacts& facts);

bool AcceptsRegions(const KernelFacts& facts);
// Sums for each channel of y.
int64_t RegionsScratchBytes(const KernelFacts& facts);

// clang-format off
template <Isa, Layout> void MaxPool2dKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void MaxPoolKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void MaxPoolIndicesKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void WindowSumKernel(const KernelCall& call) noexcept;
template <Isa> void WindowLinesKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void AveragePoolKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void RoiMaxPoolKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void RoiAlignKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void PsroiPoolKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void DeformablePsroiPoolKernel(const KernelCall& call) noexcept;
// clang-format on

}  // namespace tally
