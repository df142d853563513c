// The kernels of the gather family. All of them take operands of any storages.
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

KernelTable GatherKernels();
KernelTable ScatterKernels();
KernelTable CompactKernels();

inline std::vector<KernelTable> AllGatherKernels() {
  return {GatherKernels(), ScatterKernels(), CompactKernels()};
}

}  // namespace tally
