#include "bench/cuda/gpu_timer.h"

#include "base/status_macros.h"
#include "bench/cuda/driver_calls.h"

namespace tally::bench {
namespace {

// a record of its own in a graph, and not a dependency between streams.
constexpr unsigned kRecordExternal = 1;

}  // namespace

GpuTimer::~GpuTimer() {
  const CurrentContext current(context_);
  for (void* const event : events_) {
    if (event != nullptr) Driver().destroy_event(event);
  }
}

absl::Status GpuTimer::Mark(cuda::Stream& stream, bool in_graph, int which) {
  if (which == 0) wall_ = Stopwatch();
  if (stream.handle() == nullptr) return absl::OkStatus();
  if (context_ == nullptr) context_ = ContextOf(stream);
  const CurrentContext current(context_);
  if (events_[which] == nullptr) {
    RETURN_IF_ERROR(CheckDriver(Driver().create_event(&events_[which], 0), "cuEventCreate"));
  }
  return CheckDriver(Driver().record_event(events_[which], stream.handle(), in_graph ? kRecordExternal : 0),
                     "cuEventRecordWithFlags");
}

absl::StatusOr<double> GpuTimer::Milliseconds() const {
  if (events_[1] == nullptr) return wall_.Milliseconds();
  const CurrentContext current(context_);
  float milliseconds = 0;
  RETURN_IF_ERROR(CheckDriver(Driver().elapsed(&milliseconds, events_[0], events_[1]), "cuEventElapsedTime"));
  return double{milliseconds};
}

}  // namespace tally::bench
