// The GPU that the engine runs on, as its driver describes it.
#pragma once

#include "absl/status/statusor.h"
#include "engines/cuda/device.h"
#include "engines/cuda/driver_api.h"
#include "ops/cuda/kernel_image.h"

namespace tally::cuda {

struct Gpu {
  CuDevice device = 0;
  DeviceInfo info;
  int shared_bytes = 0;  // that a block can have
};

// GPU 0, or the one that the environment names: TALLY_CUDA_DEVICE=1. TALLY_CUDA_ARCH=sm_80 keeps to the
// kernels that every device has. Errors: engine_unavailable, with what is missing: device code in the build,
// such a GPU, a newer driver, or an architecture that the device code is for.
absl::StatusOr<Gpu> FindGpu(const DriverApi& api, const KernelImage& image);

}  // namespace tally::cuda
