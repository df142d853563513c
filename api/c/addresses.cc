#include "api/c/addresses.h"

#include <algorithm>
#include <vector>

#include "api/labels.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "engines/shared/engine_memory.h"

namespace tally::api {
namespace {

absl::Status Check(int64_t bytes, size_t most, std::string_view what) {
  if (static_cast<uint64_t>(bytes) <= most) return absl::OkStatus();
  return MakeError(label::api_memory,
                   absl::StrCat(ToAbsl(what), " may take ", bytes, " bytes; addresses here reach ", most));
}

}  // namespace

absl::Status CheckValuesAddressable(const ValidModule& module, size_t most) {
  return Check(PublishedMemory(module), most, "the values of the module");
}

absl::Status CheckRunAddressable(const ValidModule& module, int threads, size_t most) {
  RETURN_IF_ERROR(Check(PlanMemoryBound(module), most, "a plan"));
  const std::vector<int64_t> bounds = EngineMemoryBounds(module, threads);
  return Check(*std::max_element(bounds.begin(), bounds.end()), most, "a run");
}

}  // namespace tally::api
