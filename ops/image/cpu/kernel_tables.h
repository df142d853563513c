// The kernels of the image family. All of them take operands of any storages.
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

KernelTable UpsamplingKernels();
KernelTable ResampleKernels();
KernelTable CropResizeKernels();
KernelTable GridSampleKernels();

inline std::vector<KernelTable> AllImageKernels() {
  return {UpsamplingKernels(), ResampleKernels(), CropResizeKernels(), GridSampleKernels()};
}

}  // namespace tally
