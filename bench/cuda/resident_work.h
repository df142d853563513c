// The launches of one call of an operator, on operands that stay on the device: what kernels take, without copies.
#pragma once

#include <memory>
#include <vector>

#include "bench/cuda/gpu_timer.h"
#include "ops/cuda/launch.h"
#include "vm/engines/cuda/device.h"

namespace tally::bench {

class ResidentWork {
 public:
  // `repetitions` of the work are one graph. Result r has results[r] bytes. Errors: those of the device.
  static absl::StatusOr<std::unique_ptr<ResidentWork>> Create(
      cuda::Device& device, const cuda::Work& work, const std::vector<std::span<const uint8_t>>& operands,
      const std::vector<int64_t>& results, int repetitions);

  // Milliseconds of the device for one of the repetitions.
  absl::StatusOr<double> Run();

  absl::StatusOr<std::vector<uint8_t>> Result(size_t r);

 private:
  using Memory = std::vector<std::unique_ptr<cuda::DeviceMemory>>;

  std::unique_ptr<cuda::Stream> stream_;
  Memory memory_[4];  // by cuda::Source
  std::vector<int64_t> result_bytes_;
  std::unique_ptr<cuda::Graph> graph_;
  GpuTimer timer_;
  int repetitions_ = 1;
};

}  // namespace tally::bench
