// Kernels of the rescale family. All of them take operands of any storages.
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"

namespace tally {

bool AcceptsRescale(const KernelFacts& facts);
// The parameters of the channels as the loops read them.
int64_t RescaleScratchBytes(const KernelFacts& facts);

// lincomb: operands of one shape.
bool AcceptsSameShapes(const KernelFacts& facts);
bool AcceptsBroadcast(const KernelFacts& facts);

// clang-format off
template <Isa, Layout> void RescaleKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void LincombKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void MulshiftKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void CvmClipKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void CvmRightShiftKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void CvmLeftShiftKernel(const KernelCall& call) noexcept;
// clang-format on

}  // namespace tally
