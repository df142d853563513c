// The kernels of the cuda engine by name, from ops/<family>/cuda/device_kernels.inc.
#pragma once

#include <cstdint>
#include <string_view>

namespace tally::cuda {

enum class KernelId : uint16_t {
#define TALLY_CUDA_KERNEL(Name, ...) k##Name,
#include "ops/cuda/all_device_kernels.inc"
#undef TALLY_CUDA_KERNEL
};

// As it stands in the device code.
inline constexpr const char* kKernelNames[] = {
#define TALLY_CUDA_KERNEL(Name, ...) "tally_" #Name,
#include "ops/cuda/all_device_kernels.inc"
#undef TALLY_CUDA_KERNEL
};

inline const char* NameOf(KernelId kernel) { return kKernelNames[static_cast<int>(kernel)]; }

}  // namespace tally::cuda
