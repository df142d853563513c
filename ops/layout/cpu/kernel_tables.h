// The kernels of the layout family. All of them take operands of any storages. Reshapes are views of the
// plan.
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

KernelTable MovementKernels();
KernelTable PadKernels();
KernelTable FillKernels();
KernelTable ReverseSequenceKernels();

inline std::vector<KernelTable> AllLayoutKernels() {
  return {MovementKernels(), PadKernels(), FillKernels(), ReverseSequenceKernels()};
}

}  // namespace tally
