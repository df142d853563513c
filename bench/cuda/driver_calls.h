// Those functions of CUDA's driver that only benchmarks call. Whoever has a stream of a GPU has loaded the
// library.
#pragma once

#include "absl/status/status.h"
#include "engines/cuda/device.h"

namespace tally::bench {

struct DriverCalls {
  int (*create_event)(void** event, unsigned flags);
  int (*record_event)(void* event, void* stream, unsigned flags);
  int (*elapsed)(float* milliseconds, void* start, void* end);
  int (*destroy_event)(void* event);
  int (*context_of_stream)(void* stream, void** context);
  int (*push_context)(void* context);
  int (*pop_context)(void** context);
};
const DriverCalls& Driver();

absl::Status CheckDriver(int result, const char* what);

// The CUcontext of a GPU's stream; null for a stream of an emulated device.
void* ContextOf(const cuda::Stream& stream);

// While it lives, `context` is that of the calling thread, as events and libraries of CUDA's runtime want it.
class CurrentContext {
 public:
  explicit CurrentContext(void* context)
      : pushed_(context != nullptr && Driver().push_context(context) == 0) {}
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  ~CurrentContext() {
    void* context = nullptr;
    if (pushed_) Driver().pop_context(&context);
  }

 private:
  bool pushed_;
};

}  // namespace tally::bench
