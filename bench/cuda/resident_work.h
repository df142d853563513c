// The launches of one call of an operator, on operands that stay on the device: what kernels take, without
// copies.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bench/cuda/copied_memory.h"
#include "bench/cuda/repeated_graph.h"
#include "engines/cuda/device.h"
#include "ops/cuda/launch.h"

namespace tally::bench {

class ResidentWork {
 public:
  // Copies of its memory hold the same operands; results begin as bytes that no kernel has written. Result r
  // has results[r] bytes. Errors: those of the device.
  static absl::StatusOr<std::unique_ptr<ResidentWork>> Create(
      cuda::Device& device, const cuda::Work& work, const std::vector<std::span<const uint8_t>>& operands,
      const std::vector<int64_t>& results, const Repetitions& repetitions);

  // Milliseconds of the device for one of the repetitions.
  absl::StatusOr<double> Run() { return graph_->Run(); }

  absl::StatusOr<std::vector<uint8_t>> Result(size_t r, int copy = 0);

 private:
  absl::Status Launch(const cuda::Work& work, int copy);

  std::unique_ptr<cuda::Stream> stream_;
  CopiedMemory memory_;
  std::vector<int> pieces_[4];  // by cuda::Source
  std::vector<int64_t> result_bytes_;
  std::unique_ptr<RepeatedGraph> graph_;
};

}  // namespace tally::bench
