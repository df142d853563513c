// The peak of the device, measured by loops that do nothing else: the best of several tries of each.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "engines/cuda/device.h"

namespace tally::bench {

// Operations a second, two for each multiply-accumulate of bytes: by `warps` warps from registers (mma.sync),
// and by `blocks` blocks of two warpgroups from shared memory (wgmma, for devices of sm_90a), each of which
// does `rounds` rounds.
absl::StatusOr<double> MeasureMultiplyPeak(cuda::Device& device, int64_t warps, int64_t rounds);
absl::StatusOr<double> MeasureWarpgroupPeak(cuda::Device& device, int64_t blocks, int64_t rounds);

// Bytes a second that are read from memory, and that are copied, read and written bytes both counted.
absl::StatusOr<double> MeasureReadRate(cuda::Device& device, int64_t bytes);
absl::StatusOr<double> MeasureCopyRate(cuda::Device& device, int64_t bytes);

// Seconds from one kernel of a graph to the next, of `launches` that do nothing.
absl::StatusOr<double> MeasureEmptyLaunch(cuda::Device& device, int launches);

}  // namespace tally::bench
