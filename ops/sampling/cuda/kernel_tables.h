// The kernels of the sampling family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

std::vector<KernelTable> AllSamplingKernels();

}  // namespace tally::cuda
