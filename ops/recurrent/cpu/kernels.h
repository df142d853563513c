// Kernels of the recurrent family.
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"

namespace tally {

// Weights, inputs and states of at most 16 bits whose products can be summed in lanes of 32.
bool AcceptsRnn(const KernelFacts& facts);
bool AcceptsLstm(const KernelFacts& facts);
bool AcceptsGru(const KernelFacts& facts);
int64_t RnnScratchBytes(const KernelFacts& facts);
int64_t LstmScratchBytes(const KernelFacts& facts);
int64_t GruScratchBytes(const KernelFacts& facts);

// clang-format off
template <Isa> void RnnKernel(const KernelCall& call) noexcept;
template <Isa> void LstmKernel(const KernelCall& call) noexcept;
template <Isa> void GruKernel(const KernelCall& call) noexcept;
// clang-format on

}  // namespace tally
