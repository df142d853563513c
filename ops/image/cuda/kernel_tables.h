// The kernels of the image family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

std::vector<KernelTable> AllImageKernels();

}  // namespace tally::cuda
