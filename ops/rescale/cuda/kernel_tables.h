// The kernels of the rescale family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

std::vector<KernelTable> AllRescaleKernels();

}  // namespace tally::cuda
