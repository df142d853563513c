// A device that times the graphs that its streams replay, and remembers what is in them. Plans that are made
// on it run as they do on the device itself.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "engines/cuda/device.h"

namespace tally::bench {

// A launch as a plan made it, with the memory of its stream context.
struct RecordedLaunch {
  cuda::KernelId kernel;
  cuda::LaunchShape shape;
  cuda::Memory memory;
  std::vector<uint8_t> params;
};

class TimedDevice final : public cuda::Device {
 public:
  explicit TimedDevice(std::shared_ptr<cuda::Device> device) : device_(std::move(device)) {}

  // Milliseconds of the device in graphs: all of them, and without the copies at both ends of a run; and of
  // the host, until it has started them.
  struct Times {
    double total = 0, kernels = 0, start = 0;
  };
  // The times of the runs that ended since the last call.
  Times Take();

  // In all graphs that were recorded, one for each stream context of a plan.
  std::vector<RecordedLaunch> launches() const;

  const cuda::DeviceInfo& info() const override { return device_->info(); }
  absl::StatusOr<std::unique_ptr<cuda::DeviceMemory>> Allocate(int64_t size_bytes) override {
    return device_->Allocate(size_bytes);
  }
  absl::StatusOr<std::unique_ptr<cuda::PinnedMemory>> AllocatePinned(int64_t size_bytes) override {
    return device_->AllocatePinned(size_bytes);
  }
  absl::StatusOr<std::unique_ptr<cuda::Stream>> NewStream() override;
  int generation() const override { return device_->generation(); }

 private:
  friend class TimedStream;
  void Add(const Times& times);
  void Add(RecordedLaunch launch);

  const std::shared_ptr<cuda::Device> device_;
  mutable std::mutex mutex_;
  Times times_;
  std::vector<RecordedLaunch> launches_;
};

}  // namespace tally::bench
