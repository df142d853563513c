// The kernels of the attention family. Those of blocks, which take more, are ahead of those of single
// queries.
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

KernelTable BlockAttentionKernels();
KernelTable QueryAttentionKernels();

inline std::vector<KernelTable> AllAttentionKernels() {
  return {BlockAttentionKernels(), QueryAttentionKernels()};
}

}  // namespace tally
