#include "ops/cuda/emulated_kernels.h"

#include "ops/cuda/all_device_headers.h"
#include "ops/cuda/params_of.h"

namespace tally::cuda {
namespace {

template <auto& kKernel>
void Run(const Thread& t, const Memory& m, const void* params) {
  using Params = ParamsOf<std::remove_reference_t<decltype(kKernel)>>;
  kKernel(t, m, *static_cast<const Params*>(params));
}

constexpr EmulatedKernel kKernels[] = {
#define TALLY_CUDA_KERNEL(Name, ...) Run<__VA_ARGS__>,
#include "ops/cuda/all_device_kernels.inc"
#undef TALLY_CUDA_KERNEL
};

}  // namespace

EmulatedKernel EmulatedKernelOf(KernelId kernel) { return kKernels[static_cast<int>(kernel)]; }

}  // namespace tally::cuda
