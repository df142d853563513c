// The lanes of a plan. Runs of many threads are in flight together, each on a lane of its own: while one computes, another
// copies. A lane is made when all others are busy, and kept.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "vm/engines/cuda/constants.h"
#include "vm/engines/cuda/cuda_engine.h"
#include "vm/engines/cuda/lane.h"

namespace tally::cuda {

class LanePool {
 public:
  // `program` and `constants` outlive the pool.
  LanePool(std::shared_ptr<Device> device, const Program& program, const Constants& constants)
      : device_(std::move(device)), program_(program), constants_(constants) {}

  // A lane for one run, which gives it back when it worked. Whatever else happens, it is gone.
  class Lease {
   public:
    Lease(LanePool& pool, std::unique_ptr<Lane> lane) : pool_(&pool), lane_(std::move(lane)) {}
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), lane_(std::move(other.lane_)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (!worked_) lane_ = nullptr;  // before another run takes its place
      if (pool_ != nullptr) pool_->Return(std::move(lane_));
    }
    Lane& operator*() const { return *lane_; }
    Lane* operator->() const { return lane_.get(); }
    void Worked() { worked_ = true; }

   private:
    LanePool* pool_;
    std::unique_ptr<Lane> lane_;
    bool worked_ = false;
  };

  // Waits while kMaxCudaRuns lanes are in use, or as many as the device has memory for. Errors: device_memory, when it has
  // none for a single lane; device_failed.
  absl::StatusOr<Lease> Acquire();

 private:
  absl::StatusOr<std::unique_ptr<Lane>> NewLane();
  absl::Status UploadConstants(Stream& stream);
  void Return(std::unique_ptr<Lane> lane);

  const std::shared_ptr<Device> device_;
  const Program& program_;
  const Constants& constants_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::shared_ptr<DeviceMemory> constant_block_;
  int generation_ = 0;        // of the constants on the device
  int limit_ = kMaxCudaRuns;  // in that generation
  int in_use_ = 0;
  std::vector<std::unique_ptr<Lane>> free_;
};

}  // namespace tally::cuda
