#include "bench/cuda/timed_device.h"

#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "bench/cuda/gpu_timer.h"

namespace tally::bench {

// A graph with a timer of its kernels inside.
struct TimedGraph final : cuda::Graph {
  GpuTimer kernels;  // outlives the graph that has its events
  std::unique_ptr<cuda::Graph> graph;
  bool has_kernels = false, ended = false;
};

class TimedStream final : public cuda::Stream {
 public:
  TimedStream(TimedDevice& device, std::unique_ptr<cuda::Stream> stream)
      : device_(device), stream_(std::move(stream)) {}

  absl::Status CopyIn(uint8_t* to, std::span<const uint8_t> from) override {
    return stream_->CopyIn(to, from);
  }
  absl::Status CopyOut(std::span<uint8_t> to, const uint8_t* from) override {
    if (recording_) RETURN_IF_ERROR(EndKernels());
    return stream_->CopyOut(to, from);
  }
  absl::Status Launch(cuda::KernelId kernel, const cuda::LaunchShape& shape, const cuda::Memory& memory,
                      std::span<const uint8_t> params) override {
    if (recording_) {
      device_.Add(RecordedLaunch{kernel, shape, memory, {params.begin(), params.end()}});
      if (!std::exchange(recording_->has_kernels, true)) {
        RETURN_IF_ERROR(recording_->kernels.Start(*stream_, true));
      }
    }
    return stream_->Launch(kernel, shape, memory, params);
  }
  absl::Status Wait() override {
    if (replayed_.empty()) return stream_->Wait();
    RETURN_IF_ERROR(total_.Stop(*stream_));
    RETURN_IF_ERROR(stream_->Wait());
    TimedDevice::Times times = {.start = std::exchange(start_ms_, 0)};
    ASSIGN_OR_RETURN(times.total, total_.Milliseconds());
    for (const TimedGraph* graph : std::exchange(replayed_, {})) {
      if (!graph->has_kernels) continue;
      if (stream_->handle() == nullptr) {  // the emulation does everything while it waits
        times.kernels = times.total;
        continue;
      }
      ASSIGN_OR_RETURN(const double ms, graph->kernels.Milliseconds());
      times.kernels += ms;
    }
    device_.Add(times);
    return absl::OkStatus();
  }

  absl::Status BeginGraph() override {
    recording_ = std::make_unique<TimedGraph>();
    return stream_->BeginGraph();
  }
  absl::StatusOr<std::unique_ptr<cuda::Graph>> EndGraph() override {
    RETURN_IF_ERROR(EndKernels());
    ASSIGN_OR_RETURN(recording_->graph, stream_->EndGraph());
    return std::move(recording_);
  }
  absl::Status Replay(const cuda::Graph& graph) override {
    const auto& timed = static_cast<const TimedGraph&>(graph);
    if (replayed_.empty()) RETURN_IF_ERROR(total_.Start(*stream_));
    replayed_.push_back(&timed);
    const Stopwatch watch;
    RETURN_IF_ERROR(stream_->Replay(*timed.graph));
    start_ms_ += watch.Milliseconds();
    return absl::OkStatus();
  }
  void* handle() const override { return stream_->handle(); }

 private:
  absl::Status EndKernels() {
    if (!recording_->has_kernels || std::exchange(recording_->ended, true)) return absl::OkStatus();
    return recording_->kernels.Stop(*stream_, true);
  }

  TimedDevice& device_;
  std::unique_ptr<cuda::Stream> stream_;
  std::unique_ptr<TimedGraph> recording_;
  GpuTimer total_;
  std::vector<const TimedGraph*> replayed_;  // since the last Wait
  double start_ms_ = 0;                      // the host's, for those
};

absl::StatusOr<std::unique_ptr<cuda::Stream>> TimedDevice::NewStream() {
  ASSIGN_OR_RETURN(auto stream, device_->NewStream());
  return std::make_unique<TimedStream>(*this, std::move(stream));
}

TimedDevice::Times TimedDevice::Take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(times_, {});
}

void TimedDevice::Add(const Times& times) {
  const std::lock_guard lock(mutex_);
  times_.total += times.total;
  times_.kernels += times.kernels;
  times_.start += times.start;
}

void TimedDevice::Add(RecordedLaunch launch) {
  const std::lock_guard lock(mutex_);
  launches_.push_back(std::move(launch));
}

std::vector<RecordedLaunch> TimedDevice::launches() const {
  const std::lock_guard lock(mutex_);
  return launches_;
}

}  // namespace tally::bench
