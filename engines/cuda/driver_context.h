// A context of CUDA's driver with the device code in it: one generation of a device. It is ours alone, so
// that others in this process keep theirs when ours fails, and what was made in it goes with it.
//
//   RETURN_IF_ERROR(context->Call("cuStreamCreate", [&](const DriverApi& api) { return api.StreamCreate(&stream, 0); }));
//
// Threads call the driver at once. A context is destroyed when none of them is inside.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engines/cuda/driver_gpu.h"
#include "engines/cuda/host_pages.h"

namespace tally::cuda {

class DriverContext {
 public:
  // `image`: what cuModuleLoadData takes. Errors: those of Call.
  static absl::StatusOr<std::shared_ptr<DriverContext>> Create(const DriverApi& api, const Gpu& gpu,
                                                               std::span<const uint8_t> image,
                                                               int generation);
  DriverContext(const DriverContext&) = delete;
  DriverContext& operator=(const DriverContext&) = delete;
  ~DriverContext() { Destroy(); }

  int generation() const { return generation_; }
  // Nobody can do anything in the context any more.
  bool failed() const { return failed_; }

  // The driver's answer to f(api), called with the context as the calling thread's; the thread then has its
  // earlier one again. Errors: device_memory, when something lacked memory; device_failed, with `what`, when
  // the driver refused the call or when the context has failed, in this call or in another run.
  template <typename F>
  absl::Status Call(absl::string_view what, F f) {
    const std::shared_lock inside(calls_);
    absl::Status status = Enter();
    if (!status.ok()) return status;
    status = Judge(f(api_), what);
    Leave();
    return status;
  }

  // Waits until the calls of other threads have returned. Further ones fail.
  void Destroy();

  // Pages that the device may still read and write: they are freed when the context is gone.
  void FreeLater(Pages pages);

  CuFunction function(KernelId kernel) const { return functions_[static_cast<int>(kernel)]; }

 private:
  DriverContext(const DriverApi& api, const Gpu& gpu, int generation)
      : api_(api), gpu_(gpu), generation_(generation) {}

  absl::Status Start(std::span<const uint8_t> image);
  absl::Status Enter();
  void Leave();
  absl::Status Judge(CuResult result, absl::string_view what);
  absl::Status ErrorOf(CuResult result, absl::string_view what) const;

  const DriverApi api_;
  const Gpu gpu_;
  const int generation_;
  CuContext context_ = nullptr;
  std::array<CuFunction, std::size(kKernelNames)> functions_ = {};
  std::atomic<bool> failed_ = false;
  std::shared_mutex calls_;  // shared by those inside
  std::mutex pages_mutex_;
  bool gone_ = false;
  std::vector<Pages> pages_;  // to be freed when it is gone
};

}  // namespace tally::cuda
