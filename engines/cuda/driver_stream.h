// A stream of a GPU, and the graphs that it records.
#pragma once

#include <memory>

#include "engines/cuda/device.h"
#include "engines/cuda/driver_context.h"

namespace tally::cuda {

// Errors: those of the context.
absl::StatusOr<std::unique_ptr<Stream>> NewDriverStream(std::shared_ptr<DriverContext> context);

}  // namespace tally::cuda
