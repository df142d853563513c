// The kernels of the pooling family. All of them take operands of any storages.
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

KernelTable MaxPoolKernels();
KernelTable MaxPoolIndicesKernels();
KernelTable WindowSumKernels();
KernelTable WindowLinesKernels();
KernelTable AveragePoolKernels();
KernelTable RegionKernels();

inline std::vector<KernelTable> AllPoolingKernels() {
  return {MaxPoolKernels(),     MaxPoolIndicesKernels(), WindowSumKernels(),
          WindowLinesKernels(), AveragePoolKernels(),    RegionKernels()};
}

}  // namespace tally
