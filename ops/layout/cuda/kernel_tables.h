// The kernels of the layout family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

KernelTable FillAndPadKernels();
KernelTable MovementKernels();

inline std::vector<KernelTable> AllLayoutKernels() { return {FillAndPadKernels(), MovementKernels()}; }

}  // namespace tally::cuda
