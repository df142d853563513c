// Every kernel of the cuda engine as nvcc sees it.
#include "ops/cuda/all_device_headers.h"
#include "ops/cuda/params_of.h"

namespace tally::cuda {

#define TALLY_CUDA_KERNEL(Name, ...)                                                          \
  extern "C" __global__ void tally_##Name(const __grid_constant__ Memory m,                   \
                                          const __grid_constant__ ParamsOf<decltype(__VA_ARGS__)> p) { \
    __VA_ARGS__(Thread(), m, p);                                                              \
  }
#include "ops/cuda/all_device_kernels.inc"
#undef TALLY_CUDA_KERNEL

}  // namespace tally::cuda
