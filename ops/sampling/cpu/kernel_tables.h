// The kernels of the sampling family. An element depends on its place alone, so that threads share the
// elements.
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

std::vector<KernelTable> AllSamplingKernels();

}  // namespace tally
