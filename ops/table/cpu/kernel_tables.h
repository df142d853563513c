// The kernels of the table family.
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

KernelTable LookupKernels();
KernelTable NormalizedTableKernels();

inline std::vector<KernelTable> AllTableKernels() { return {LookupKernels(), NormalizedTableKernels()}; }

}  // namespace tally
