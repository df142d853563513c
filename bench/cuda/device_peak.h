// What the device itself can do, by loops that do nothing else.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "vm/engines/cuda/device.h"

namespace tally::bench {

// Operations a second, two for each multiply-accumulate of bytes, in registers alone: the best of several tries of
// `warps` warps that each do `rounds` rounds.
absl::StatusOr<double> MeasureMultiplyPeak(cuda::Device& device, int64_t warps, int64_t rounds);

// Bytes a second that are copied from memory to memory, read and written bytes both counted.
absl::StatusOr<double> MeasureCopyRate(cuda::Device& device, int64_t bytes);

}  // namespace tally::bench
