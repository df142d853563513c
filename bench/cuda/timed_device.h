// A device that times the graphs that its streams replay. Plans that are made on it run as they do on the device itself.
#pragma once

#include <memory>
#include <mutex>

#include "vm/engines/cuda/device.h"

namespace tally::bench {

class TimedDevice final : public cuda::Device {
 public:
  explicit TimedDevice(std::shared_ptr<cuda::Device> device) : device_(std::move(device)) {}

  // Milliseconds of the device in graphs: all of them, and without the copies at both ends of a run.
  struct Times {
    double total = 0, kernels = 0;
  };
  // Of the runs that ended since the last call.
  Times Take();

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

  const std::shared_ptr<cuda::Device> device_;
  std::mutex mutex_;
  Times times_;
};

}  // namespace tally::bench
