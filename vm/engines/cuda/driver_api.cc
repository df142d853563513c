#include "vm/engines/cuda/driver_api.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "vm/labels.h"

namespace tally::cuda {

std::string ErrorName(const DriverApi& api, CuResult result) {
  const char* name = nullptr;
  if (api.GetErrorName(result, &name) != kCuSuccess || name == nullptr) return absl::StrCat("error ", result);
  return name;
}

absl::StatusOr<DriverApi> LoadDriverApi(const char* library) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return MakeError(
        label::engine_unavailable,
        absl::StrCat("engine cuda: this machine has no driver for NVIDIA GPUs (", dlerror(), ")"));
  }
  DriverApi api;
#define TALLY_FIND_FUNCTION(Name, symbol, parameters)                                                   \
  api.Name = reinterpret_cast<decltype(api.Name)>(dlsym(handle, symbol));                               \
  if (api.Name == nullptr) {                                                                            \
    return MakeError(label::engine_unavailable,                                                         \
                     absl::StrCat("engine cuda: the driver is too old: ", library, " lacks ", symbol)); \
  }
  TALLY_DRIVER_FUNCTIONS(TALLY_FIND_FUNCTION)
#undef TALLY_FIND_FUNCTION
  return api;  // the library stays loaded
}

}  // namespace tally::cuda
