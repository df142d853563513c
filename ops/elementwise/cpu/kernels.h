// Kernels of the elementwise family. All of them take operands of any storages.
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"

namespace tally {

bool AcceptsElementwise(const KernelFacts& facts);

// clang-format off
template <Isa, Layout> void AddKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void SubKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void MulKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void MaxKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void MinKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void AndKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void OrKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void XorKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void AbsKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void NegativeKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void ReluKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void ClipKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void BitsKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void ClzKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void RootKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void DivKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void DivideKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void ModuloKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void PowerKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void ShiftLeftKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void ShiftRightKernel(const KernelCall& call) noexcept;
// clang-format on

}  // namespace tally
