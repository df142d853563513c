// Every kernel of the cuda engine as nvcc sees it.
#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <string_view>

// nvcc 13.0 compiles the functions of <bit> for devices and they give wrong values there: countl_zero is
// always 64. Where device code names one, this does not compile.
#pragma GCC poison bit_cast bit_ceil bit_floor bit_width countl_one countl_zero countr_one countr_zero popcount

#include "ops/cuda/all_device_headers.h"
#include "ops/cuda/params_of.h"

namespace tally::cuda {

// The most of a thread: two blocks of 256 threads share a multiprocessor's 65,536, but for kernels whose
// accumulators alone are 128.
constexpr int MostRegisters(std::string_view kernel) {
  return kernel == "GemmWgmma128x256" || kernel == "WarpgroupLoop" ? 255 : 128;
}

#define TALLY_CUDA_KERNEL(Name, ...)                                             \
  extern "C" __global__ void __maxnreg__(MostRegisters(#Name))                   \
      tally_##Name(const __grid_constant__ Memory m,                             \
                   const __grid_constant__ ParamsOf<decltype(__VA_ARGS__)> p) {  \
    __VA_ARGS__(Thread(), m, p);                                                 \
  }
#include "ops/cuda/all_device_kernels.inc"
#undef TALLY_CUDA_KERNEL

}  // namespace tally::cuda
