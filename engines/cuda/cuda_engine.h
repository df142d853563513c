// The cuda engine: kernels for a GPU (docs/decisions/0017-cuda-engine.md).
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engines/cuda/device.h"
#include "vm/plan.h"

namespace tally {

// Runs of one plan that are on the device at once, at most, each with memory and a stream of its own: while
// one computes, others copy. Further callers of Execute wait for their turn, and so do those for whom the
// device has no memory left.
inline constexpr int kMaxCudaRuns = 8;

// The plan's constants and the memory of one run are on the device from now on. Errors: device_memory, when
// the device cannot hold them; device_failed.
absl::StatusOr<std::unique_ptr<const Plan>> MakeCudaPlan(std::shared_ptr<const ValidModule> module,
                                                         std::shared_ptr<cuda::Device> device);

}  // namespace tally
