// The kernels of the cuda engine, gathered from ops/<family>/cuda.
//
//   const std::optional<SelectedKernel> kernel = SelectKernel(facts, arch);  // else the reference of the operator
#pragma once

#include <optional>
#include <span>

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

// Those of one operator are adjacent, best first.
std::span<const KernelEntry> AllKernels();

struct SelectedKernel {
  const KernelEntry* entry;
  Work work;
};

// The first entry for devices of `arch` that takes the call in its layout, and needs no working memory out of
// proportion.
std::optional<SelectedKernel> SelectKernel(const KernelFacts& facts, Arch arch);

}  // namespace tally::cuda
