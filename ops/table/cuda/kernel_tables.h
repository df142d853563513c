// The kernels of the table family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

std::vector<KernelTable> AllTableKernels();

}  // namespace tally::cuda
