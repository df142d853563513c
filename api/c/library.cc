// Versions and engines.
#include "api/c/call.h"
#include "base/release.h"
#include "engines/engine.h"
#include "vm/limits.h"

using namespace tally;       // NOLINT: the functions are outside any namespace
using namespace tally::api;  // NOLINT

const char* tally_version() { return kVersion; }

uint32_t tally_spec_version() { return kSpecVersion; }

tally_status tally_engine(size_t index, tally_engine_info* info, tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    const std::span<const EngineInfo> engines = AllEngines();
    if (index >= engines.size()) {
      return MakeError(label::api_index, absl::StrCat("engine ", index, " of ", engines.size(), " engines"));
    }
    const EngineInfo& engine = engines[index];
    return WriteStruct(tally_engine_info{.size = 0,
                                         .name = engine.name.data(),
                                         .summary = engine.summary.data(),
                                         .available = engine.available ? 1 : 0},
                       info);
  });
}
