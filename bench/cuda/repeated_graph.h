// Work that is recorded many times in one graph, between two events in the same graph: no launch of the host
// is in its time.
#pragma once

#include <functional>
#include <memory>

#include "bench/cuda/gpu_timer.h"
#include "engines/cuda/device.h"

namespace tally::bench {

// How often work is repeated, and on how many copies of its memory it takes turns, so that no cache has the
// bytes of a copy when its turn comes again.
struct Repetitions {
  int count = 20;
  int copies = 1;

  // For work that touches `bytes`: copies that have `rotated_bytes` together, and at least `count`
  // repetitions.
  static Repetitions Cold(int64_t bytes, int64_t rotated_bytes, int count);
};

class RepeatedGraph {
 public:
  // record(i) gives the stream, which outlives the graph, its repetition i. Errors: those of `record` and of
  // the stream.
  static absl::StatusOr<std::unique_ptr<RepeatedGraph>> Record(
      cuda::Stream& stream, int repetitions, const std::function<absl::Status(int)>& record);

  // Milliseconds of the device for one of the repetitions.
  absl::StatusOr<double> Run();

 private:
  explicit RepeatedGraph(cuda::Stream& stream, int repetitions)
      : stream_(stream), repetitions_(repetitions) {}

  cuda::Stream& stream_;
  int repetitions_;
  GpuTimer timer_;  // outlives the graph that has its events
  std::unique_ptr<cuda::Graph> graph_;
};

}  // namespace tally::bench
