// The kernels of the elementwise family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

std::vector<KernelTable> AllElementwiseKernels();

}  // namespace tally::cuda
