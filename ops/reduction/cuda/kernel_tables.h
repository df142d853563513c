// The kernels of the reduction family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

std::vector<KernelTable> AllReductionKernels();

}  // namespace tally::cuda
