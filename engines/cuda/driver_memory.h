// Memory of a GPU, and pages of the host that it copies from and to.
#pragma once

#include <memory>

#include "engines/cuda/device.h"
#include "engines/cuda/driver_context.h"

namespace tally::cuda {

inline CuPointer ToPointer(const uint8_t* bytes) { return reinterpret_cast<uintptr_t>(bytes); }

// Errors: those of the context.
absl::StatusOr<std::unique_ptr<DeviceMemory>> NewDriverMemory(std::shared_ptr<DriverContext> context,
                                                              int64_t size_bytes);
absl::StatusOr<std::unique_ptr<PinnedMemory>> NewDriverPinnedMemory(std::shared_ptr<DriverContext> context,
                                                                    int64_t size_bytes);

}  // namespace tally::cuda
