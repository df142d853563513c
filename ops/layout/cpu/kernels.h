// Kernels of the layout family. All of them take operands of any storages.
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"

namespace tally {

bool AcceptsMovement(const KernelFacts& facts);
bool AcceptsAlways(const KernelFacts& facts);

// clang-format off
template <Isa, Layout> void TransposeKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void ConcatenateKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void RepeatKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void TileKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void StridedSliceKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void SliceLikeKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void PadKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void BroadcastToKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void IotaKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void FillKernel(const KernelCall& call) noexcept;
template <Isa> void ReverseSequenceKernel(const KernelCall& call) noexcept;
// clang-format on

}  // namespace tally
