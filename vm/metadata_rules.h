// The rules for a module's metadata (docs/spec/module.md#metadata).
#pragma once

#include "absl/status/status.h"
#include "vm/module.h"

namespace tally {

// One entry for each parameter and each result; names are 1 to kMaxNameBytes bytes and unique among the
// parameters and among the results; a scale has an odd multiplier in [1, 2^53] (or is absent), a shift in
// [-1074, 1074] and a zero point within the tensor limit. An odd multiplier gives a scale one spelling.
// Errors: metadata_count, metadata_name, metadata_quantization.
absl::Status CheckMetadata(const Module& module);

// True when `name` is valid UTF-8 without control characters.
bool IsPrintableUtf8(std::string_view name);

}  // namespace tally
