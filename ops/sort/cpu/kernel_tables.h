// The kernels of the sort family. They sort keys of 64 bits that hold a value and its position (sort_keys.h).
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

KernelTable SortKernels();
KernelTable UniqueKernels();

inline std::vector<KernelTable> AllSortKernels() { return {SortKernels(), UniqueKernels()}; }

}  // namespace tally
