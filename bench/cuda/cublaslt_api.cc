#include "bench/cuda/cublaslt_api.h"

#include <dlfcn.h>
#include <glob.h>

#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tally::bench {
namespace {

std::vector<std::string> UsualPlaces() {
  std::vector<std::string> places = {"libcublasLt.so.13", "libcublasLt.so.12"};
  std::vector<std::string> folders = {"/usr/local/cuda*/lib*", "/usr/local/cuda*/targets/*/lib"};
  const char* const environment = std::getenv("VIRTUAL_ENV");
  for (const std::string& prefix :
       {std::string(environment == nullptr ? "" : environment), std::string("/usr"),
        std::string("/usr/local"), std::string("/opt/conda"), std::string("/opt/venv")}) {
    if (prefix.empty()) continue;
    for (const char* const packages : {"site-packages", "dist-packages"}) {
      folders.push_back(absl::StrCat(prefix, "/lib/python3*/", packages, "/nvidia/*/lib"));
    }
  }
  for (const std::string& folder : folders) {
    glob_t found = {};
    if (glob((folder + "/libcublasLt.so.1[23]").c_str(), 0, nullptr, &found) == 0) {
      places.insert(places.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    }
    globfree(&found);
  }
  return places;
}

}  // namespace

absl::StatusOr<CublasLtApi> LoadCublasLt(const std::string& path) {
  void* library = nullptr;
  std::string why;
  for (const std::string& place : path.empty() ? UsualPlaces() : std::vector<std::string>{path}) {
    library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    if (why.empty()) why = dlerror();
  }
  if (library == nullptr) return absl::UnavailableError(why);
  CublasLtApi api;
#define TALLY_FIND_FUNCTION(Name, symbol, Result, parameters)              \
  api.Name = reinterpret_cast<decltype(api.Name)>(dlsym(library, symbol)); \
  if (api.Name == nullptr) return absl::UnavailableError("cublasLt lacks " symbol);
  TALLY_CUBLASLT_FUNCTIONS(TALLY_FIND_FUNCTION)
#undef TALLY_FIND_FUNCTION
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void*>(api.Create), &info) != 0) api.library = info.dli_fname;
  return api;  // the library stays loaded
}

}  // namespace tally::bench
