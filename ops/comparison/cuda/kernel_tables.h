// The kernels of the comparison family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

std::vector<KernelTable> AllComparisonKernels();

}  // namespace tally::cuda
