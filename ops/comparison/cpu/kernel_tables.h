// The kernels of the comparison family. All of them take operands of any storages.
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

std::vector<KernelTable> AllComparisonKernels();

}  // namespace tally
