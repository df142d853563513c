// The kernels of the attention family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

std::vector<KernelTable> AllAttentionKernels();

}  // namespace tally::cuda
