// The stream contexts of a plan. Runs of many threads are in flight together, each in a stream context of its
// own: while one computes, another copies. A stream context is made when all others are busy, and kept.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engines/cuda/constants.h"
#include "engines/cuda/cuda_engine.h"
#include "engines/cuda/stream_context.h"

namespace tally::cuda {

class StreamContextPool {
 public:
  // `program` and `constants` outlive the pool.
  StreamContextPool(std::shared_ptr<Device> device, const Program& program, const Constants& constants)
      : device_(std::move(device)), program_(program), constants_(constants) {}

  // A stream context for one run, which gives it back when it worked. Whatever else happens, it is gone.
  class Lease {
   public:
    Lease(StreamContextPool& pool, std::unique_ptr<StreamContext> context)
        : pool_(&pool), context_(std::move(context)) {}
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), context_(std::move(other.context_)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (!worked_) context_ = nullptr;  // before another run takes its place
      if (pool_ != nullptr) pool_->Return(std::move(context_));
    }
    StreamContext& operator*() const { return *context_; }
    StreamContext* operator->() const { return context_.get(); }
    void Worked() { worked_ = true; }

   private:
    StreamContextPool* pool_;
    std::unique_ptr<StreamContext> context_;
    bool worked_ = false;
  };

  // Waits while kMaxCudaRuns stream contexts are in use, or as many as the device has memory for. Errors:
  // device_memory, when it has none for a single stream context; device_failed.
  absl::StatusOr<Lease> Acquire();

 private:
  absl::StatusOr<std::unique_ptr<StreamContext>> NewContext();
  absl::Status UploadConstants(Stream& stream);
  void Return(std::unique_ptr<StreamContext> context);

  const std::shared_ptr<Device> device_;
  const Program& program_;
  const Constants& constants_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::shared_ptr<DeviceMemory> constant_block_;
  int generation_ = 0;        // for the constants on the device
  int limit_ = kMaxCudaRuns;  // in that generation
  int in_use_ = 0;
  std::vector<std::unique_ptr<StreamContext>> free_;
};

}  // namespace tally::cuda
