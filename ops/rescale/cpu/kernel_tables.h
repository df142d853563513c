// The kernels of the rescale family. All of them take operands of any storages.
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

KernelTable RescaleKernels();
KernelTable LincombKernels();
KernelTable CvmClipAndShiftKernels();
KernelTable MulshiftKernels();

inline std::vector<KernelTable> AllRescaleKernels() {
  return {RescaleKernels(), LincombKernels(), CvmClipAndShiftKernels(), MulshiftKernels()};
}

}  // namespace tally
