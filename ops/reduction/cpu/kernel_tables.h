// The kernels of the reduction family. All of them take operands of any storages.
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

KernelTable ReduceKernels();
KernelTable AlongAxisKernels();

inline std::vector<KernelTable> AllReductionKernels() { return {ReduceKernels(), AlongAxisKernels()}; }

}  // namespace tally
