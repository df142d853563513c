// Every kernel of the cuda engine as the host compiler sees it, to be run by the emulator. For tests.
#pragma once

#include "ops/cuda/emulator.h"
#include "ops/cuda/kernel_id.h"

namespace tally::cuda {

EmulatedKernel EmulatedKernelOf(KernelId kernel);

}  // namespace tally::cuda
