// Kernels of the detection family.
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"

namespace tally {

bool AcceptsNms(const KernelFacts& facts);
int64_t NmsScratchBytes(const KernelFacts& facts);
bool AcceptsNonMaxSuppression(const KernelFacts& facts);
int64_t NonMaxSuppressionScratchBytes(const KernelFacts& facts);
bool AcceptsDetection(const KernelFacts& facts);

// One thread does it all: lists are short and their rows follow each other.
template <Isa>
void NmsKernel(const KernelCall& call) noexcept;

// Threads share the batches.
// clang-format off
template <Isa> void NonMaxSuppressionKernel(const KernelCall& call) noexcept;
template <Isa> void GetValidCountsKernel(const KernelCall& call) noexcept;
template <Isa> void CtcGreedyDecoderKernel(const KernelCall& call) noexcept;
// clang-format on

}  // namespace tally
