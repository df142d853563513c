// The kernels of the recurrent family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

std::vector<KernelTable> AllRecurrentKernels();

}  // namespace tally::cuda
