// The kernels of the elementwise family. All of them take operands of any storages.
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

KernelTable BinaryKernels();
KernelTable DivisionKernels();
KernelTable UnaryKernels();

inline std::vector<KernelTable> AllElementwiseKernels() {
  return {BinaryKernels(), DivisionKernels(), UnaryKernels()};
}

}  // namespace tally
