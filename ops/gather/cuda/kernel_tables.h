// The kernels of the gather family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

KernelTable CompactKernels();
KernelTable GatherKernels();
KernelTable ScatterKernels();

inline std::vector<KernelTable> AllGatherKernels() {
  return {CompactKernels(), GatherKernels(), ScatterKernels()};
}

}  // namespace tally::cuda
