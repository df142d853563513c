#include "bench/cuda/gpu_timer.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace tally::bench {
namespace {

constexpr unsigned kRecordExternal =
    1;  // a record of its own in a graph, and not a dependency between streams

// Those functions of the driver that only benchmarks call; a device has loaded the library.
struct EventApi {
  int (*context_of)(void* stream, void** context);
  int (*push)(void* context);
  int (*pop)(void** context);
  int (*create)(void** event, unsigned flags);
  int (*record)(void* event, void* stream, unsigned flags);
  int (*elapsed)(float* milliseconds, void* start, void* end);
  int (*destroy)(void* event);
};

const EventApi& Events() {
  static const EventApi api = [] {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    EventApi found;
    find(found.context_of, "cuStreamGetCtx");
    find(found.push, "cuCtxPushCurrent_v2");
    find(found.pop, "cuCtxPopCurrent_v2");
    find(found.create, "cuEventCreate");
    find(found.record, "cuEventRecordWithFlags");
    find(found.elapsed, "cuEventElapsedTime");
    find(found.destroy, "cuEventDestroy_v2");
    return found;
  }();
  return api;
}

absl::Status Check(int result, const char* what) {
  return result == 0 ? absl::OkStatus() : absl::InternalError(absl::StrCat(what, " says error ", result));
}

// f() in a context, which is that of the calling thread only meanwhile.
template <typename F>
absl::Status Within(void* context, F f) {
  RETURN_IF_ERROR(Check(Events().push(context), "cuCtxPushCurrent"));
  const absl::Status status = f();
  Events().pop(&context);
  return status;
}

}  // namespace

GpuTimer::~GpuTimer() {
  if (context_ == nullptr) return;
  Within(context_, [&] {
    for (void* const event : events_) {
      if (event != nullptr) Events().destroy(event);
    }
    return absl::OkStatus();
  }).IgnoreError();
}

absl::Status GpuTimer::Mark(cuda::Stream& stream, bool in_graph, int which) {
  if (which == 0) wall_ = Stopwatch();
  if (stream.handle() == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(Check(Events().context_of(stream.handle(), &context_), "cuStreamGetCtx"));
  return Within(context_, [&]() -> absl::Status {
    if (events_[which] == nullptr) {
      RETURN_IF_ERROR(Check(Events().create(&events_[which], 0), "cuEventCreate"));
    }
    return Check(Events().record(events_[which], stream.handle(), in_graph ? kRecordExternal : 0),
                 "cuEventRecordWithFlags");
  });
}

absl::StatusOr<double> GpuTimer::Milliseconds() const {
  if (events_[1] == nullptr) return wall_.Milliseconds();
  float milliseconds = 0;
  RETURN_IF_ERROR(Within(context_, [&] {
    return Check(Events().elapsed(&milliseconds, events_[0], events_[1]), "cuEventElapsedTime");
  }));
  return double{milliseconds};
}

}  // namespace tally::bench
