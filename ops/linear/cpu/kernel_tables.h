// The kernels of the linear family: the calls that ops/cpu/gemm does not take.
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

KernelTable MatmulKernels();
KernelTable ConvolutionKernels();
KernelTable DeformableConv2dKernels();

inline std::vector<KernelTable> AllLinearKernels() {
  return {MatmulKernels(), ConvolutionKernels(), DeformableConv2dKernels()};
}

}  // namespace tally
