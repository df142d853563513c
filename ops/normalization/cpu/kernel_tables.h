// The kernels of the normalization family. Those of 32 bits are ahead of those of any width, along any axes.
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

KernelTable SoftmaxKernels();
KernelTable LayerNormKernels();
KernelTable LocalResponseNormKernels();
KernelTable ResponseLinesKernels();
KernelTable LongRowsKernels();

inline std::vector<KernelTable> AllNormalizationKernels() {
  return {SoftmaxKernels(), LayerNormKernels(), LocalResponseNormKernels(), ResponseLinesKernels(),
          LongRowsKernels()};
}

}  // namespace tally
