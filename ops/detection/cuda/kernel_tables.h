// The kernels of the detection family for GPUs.
#pragma once

#include "ops/cuda/kernel_entry.h"

namespace tally::cuda {

KernelTable CtcGreedyDecoderKernels();
KernelTable NmsKernels();
KernelTable RankedBoxesKernels();

inline std::vector<KernelTable> AllDetectionKernels() {
  return {CtcGreedyDecoderKernels(), NmsKernels(), RankedBoxesKernels()};
}

}  // namespace tally::cuda
