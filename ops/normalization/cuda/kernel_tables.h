// The kernels of the normalization family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

KernelTable RowNormKernels();
KernelTable LocalResponseNormKernels();

inline std::vector<KernelTable> AllNormalizationKernels() {
  return {RowNormKernels(), LocalResponseNormKernels()};
}

}  // namespace tally::cuda
