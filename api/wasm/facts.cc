#include "api/wasm/facts.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "api/c/call.h"
#include "api/c/objects.h"
#include "api/module_proof.h"

using namespace tally;       // NOLINT: the function is outside any namespace
using namespace tally::api;  // NOLINT

extern "C" tally_status tally_module_facts(tally_module module, char** text, tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto loaded, ObjectOf<LoadedModule>(module));
    ASSIGN_OR_RETURN(const ModuleProof proof, ProveModule("tally", *loaded->valid));
    const std::string json = ModuleProofJson(proof).dump();
    *text = static_cast<char*>(std::malloc(json.size() + 1));
    if (*text == nullptr) throw std::bad_alloc();
    std::memcpy(*text, json.c_str(), json.size() + 1);
    return absl::OkStatus();
  });
}
