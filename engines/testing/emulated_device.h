// An emulated device, for tests. Its streams do their work in Wait, the latest moment that a device may
// choose, which exposes hosts that read or write memory too early.
#pragma once

#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include "engines/cuda/device.h"
#include "ops/cuda/emulator.h"

namespace tally::cuda {

struct EmulatedDeviceOptions {
  int64_t memory_bytes = int64_t{1} << 40;       // that it says to have
  int64_t allocatable_bytes = int64_t{1} << 40;  // that it has
  int streams = 1 << 20, graphs = 1 << 20;       // that it has memory for
  Order order = Order::kForward;
  Arch arch = Arch::kSm80;
};

class EmulatedDevice final : public Device {
 public:
  explicit EmulatedDevice(const EmulatedDeviceOptions& options = {});

  const DeviceInfo& info() const override { return info_; }
  absl::StatusOr<std::unique_ptr<DeviceMemory>> Allocate(int64_t size_bytes) override;
  absl::StatusOr<std::unique_ptr<PinnedMemory>> AllocatePinned(int64_t size_bytes) override;
  absl::StatusOr<std::unique_ptr<Stream>> NewStream() override;
  int generation() const override { return generation_; }

  // The device fails, once, in place of operation `n` of its streams from now on; 0 is the next. Operations
  // are what streams are asked for, and besides each piece of work when it is done.
  void FailAt(int64_t n) { operations_until_failure_ = n; }
  // The same, but what it lacks is memory: it refuses the operation and goes on.
  void RefuseAt(int64_t n) { operations_until_refusal_ = n; }
  // Operations of streams so far, and graphs among them that were replayed.
  int64_t operations() const { return operations_; }
  int64_t replays() const { return replays_; }
  // Memory of the device that is in use, and streams and graphs that are.
  int64_t allocated_bytes() const { return allocated_bytes_; }
  int streams() const { return streams_; }
  int graphs() const { return graphs_; }

 private:
  friend struct EmulatedGraph;
  friend class EmulatedStream;
  friend class EmulatedMemory;
  absl::Status NoteOperation(int generation);
  absl::Status Lacks(absl::string_view what) const;
  // Whether `at` is in memory that this generation has.
  bool Has(const uint8_t* at, int generation) const;

  EmulatedDeviceOptions options_;
  DeviceInfo info_;
  std::atomic<int> generation_ = 1;
  std::atomic<int64_t> allocated_bytes_ = 0;
  struct Piece {
    int64_t size_bytes;
    int generation;
  };
  mutable std::mutex pieces_mutex_;
  std::map<const uint8_t*, Piece> pieces_;  // by where they begin
  std::atomic<int> streams_ = 0, graphs_ = 0;
  std::atomic<int64_t> operations_ = 0, replays_ = 0;
  std::atomic<int64_t> operations_until_failure_ = std::numeric_limits<int64_t>::max();
  std::atomic<int64_t> operations_until_refusal_ = std::numeric_limits<int64_t>::max();
};

}  // namespace tally::cuda
