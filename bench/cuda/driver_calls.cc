#include "bench/cuda/driver_calls.h"

#include <dlfcn.h>

#include <type_traits>

#include "absl/strings/str_cat.h"

namespace tally::bench {

const DriverCalls& Driver() {
  static const DriverCalls calls = [] {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    DriverCalls found;
    find(found.create_event, "cuEventCreate");
    find(found.record_event, "cuEventRecordWithFlags");
    find(found.elapsed, "cuEventElapsedTime");
    find(found.destroy_event, "cuEventDestroy_v2");
    find(found.context_of_stream, "cuStreamGetCtx");
    find(found.push_context, "cuCtxPushCurrent_v2");
    find(found.pop_context, "cuCtxPopCurrent_v2");
    return found;
  }();
  return calls;
}

absl::Status CheckDriver(int result, const char* what) {
  return result == 0 ? absl::OkStatus() : absl::InternalError(absl::StrCat(what, " says error ", result));
}

void* ContextOf(const cuda::Stream& stream) {
  void* context = nullptr;
  if (stream.handle() != nullptr) Driver().context_of_stream(stream.handle(), &context);
  return context;
}

}  // namespace tally::bench
