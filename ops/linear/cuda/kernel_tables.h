// The kernels of the linear family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

KernelTable DeformableConv2dKernels();
KernelTable UnfusedGemmKernels();

inline std::vector<KernelTable> AllLinearKernels() {
  return {DeformableConv2dKernels(), UnfusedGemmKernels()};
}

}  // namespace tally::cuda
