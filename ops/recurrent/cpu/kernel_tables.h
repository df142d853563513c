// The kernels of the recurrent family.
#pragma once

#include "ops/cpu/kernel_table.h"

namespace tally {

std::vector<KernelTable> AllRecurrentKernels();

}  // namespace tally
