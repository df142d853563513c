// The kernels of the sort family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

KernelTable SortKernels();
KernelTable UniqueKernels();

inline std::vector<KernelTable> AllSortKernels() { return {SortKernels(), UniqueKernels()}; }

}  // namespace tally::cuda
