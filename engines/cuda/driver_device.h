// A GPU, by CUDA's driver.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engines/cuda/device.h"
#include "engines/cuda/driver_api.h"
#include "ops/cuda/kernel_image.h"

namespace tally::cuda {

// Errors: those of FindGpu (driver_gpu.h); engine_unavailable, when the driver cannot load the device code.
absl::StatusOr<std::shared_ptr<Device>> OpenDriverDevice(const DriverApi& api, const KernelImage& image);

// The one of this process, opened when first asked for.
const absl::StatusOr<std::shared_ptr<Device>>& DriverDevice();

}  // namespace tally::cuda
