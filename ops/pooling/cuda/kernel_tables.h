// The kernels of the pooling family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

KernelTable PoolKernels();
KernelTable RegionKernels();

inline std::vector<KernelTable> AllPoolingKernels() { return {PoolKernels(), RegionKernels()}; }

}  // namespace tally::cuda
