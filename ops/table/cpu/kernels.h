// Kernels of the table family. Those over Isa take operands of any storages.
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"

namespace tally {

bool AcceptsTable(const KernelFacts& facts);
// Bytes to bytes.
bool AcceptsByteTable(const KernelFacts& facts);
bool AcceptsNormalizedTable(const KernelFacts& facts);

// clang-format off
template <Isa> void TableKernel(const KernelCall& call) noexcept;
template <Isa> void CvmLutKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void NormalizedTableKernel(const KernelCall& call) noexcept;
// clang-format on
void ByteTableVbmiKernel(const KernelCall& call) noexcept;
void ByteCvmLutVbmiKernel(const KernelCall& call) noexcept;

}  // namespace tally
