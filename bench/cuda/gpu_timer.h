// Milliseconds between two places in the work of a stream: by events of the driver on a GPU, by the clock on
// the wall on an emulated device.
//
//   RETURN_IF_ERROR(timer.Start(*stream));
//   ... work ...
//   RETURN_IF_ERROR(timer.Stop(*stream));
//   RETURN_IF_ERROR(stream->Wait());
//   timer.Milliseconds();
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "bench/harness/stopwatch.h"
#include "engines/cuda/device.h"

namespace tally::bench {

class GpuTimer {
 public:
  GpuTimer() = default;
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;
  ~GpuTimer();

  // `in_graph`: the stream records a graph. The timer then measures each of its replays and outlives it. The
  // clock on the wall begins at Start and ends at Milliseconds. Errors: what the driver says.
  absl::Status Start(cuda::Stream& stream, bool in_graph = false) { return Mark(stream, in_graph, 0); }
  absl::Status Stop(cuda::Stream& stream, bool in_graph = false) { return Mark(stream, in_graph, 1); }

  // Once the stream has waited.
  absl::StatusOr<double> Milliseconds() const;

 private:
  absl::Status Mark(cuda::Stream& stream, bool in_graph, int which);

  void* context_ = nullptr;
  void* events_[2] = {};
  Stopwatch wall_;
};

}  // namespace tally::bench
