#include "engines/cuda/driver_api.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "vm/labels.h"

namespace tally::cuda {

std::string ErrorName(const DriverApi& api, CuResult result) {
  const char* name = nullptr;
  if (api.GetErrorName(result, &name) != kCuSuccess || name == nullptr) return absl::StrCat("error ", result);
  return name;
}

namespace {

#if defined(_WIN32)
void* Open(const char* library) { return reinterpret_cast<void*>(LoadLibraryA(library)); }
void* Find(void* library, const char* symbol) {
  return reinterpret_cast<void*>(GetProcAddress(reinterpret_cast<HMODULE>(library), symbol));
}
std::string WhyNotOpen() { return absl::StrCat("error ", GetLastError()); }
#else
void* Open(const char* library) { return dlopen(library, RTLD_NOW | RTLD_LOCAL); }
void* Find(void* library, const char* symbol) { return dlsym(library, symbol); }
std::string WhyNotOpen() { return dlerror(); }
#endif

}  // namespace

absl::StatusOr<DriverApi> LoadDriverApi(const char* library) {
  void* const handle = Open(library);
  if (handle == nullptr) {
    return MakeError(
        label::engine_unavailable,
        absl::StrCat("engine cuda: this machine has no driver for NVIDIA GPUs (", WhyNotOpen(), ")"));
  }
  DriverApi api;
#define TALLY_FIND_FUNCTION(Name, symbol, parameters)                                                   \
  api.Name = reinterpret_cast<decltype(api.Name)>(Find(handle, symbol));                                \
  if (api.Name == nullptr) {                                                                            \
    return MakeError(label::engine_unavailable,                                                         \
                     absl::StrCat("engine cuda: the driver is too old: ", library, " lacks ", symbol)); \
  }
  TALLY_DRIVER_FUNCTIONS(TALLY_FIND_FUNCTION)
#undef TALLY_FIND_FUNCTION
  return api;  // the library stays loaded
}

}  // namespace tally::cuda
