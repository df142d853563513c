// The kernels of the detection family.
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

KernelTable ValidCountsKernels();
KernelTable NonMaxSuppressionKernels();
KernelTable NmsKernels();
KernelTable CtcGreedyDecoderKernels();

inline std::vector<KernelTable> AllDetectionKernels() {
  return {ValidCountsKernels(), NonMaxSuppressionKernels(), NmsKernels(), CtcGreedyDecoderKernels()};
}

}  // namespace tally
