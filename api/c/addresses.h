// Machines of 32 bits: whether their addresses reach all that a module needs. No size of a tensor or of
// working memory is cut short then, whatever type it has.
#pragma once

#include <cstddef>
#include <limits>

#include "absl/status/status.h"
#include "vm/valid_module.h"

namespace tally::api {

inline constexpr size_t kMostBytes = std::numeric_limits<size_t>::max();

// Each value of the module alone. Error api_memory.
absl::Status CheckValuesAddressable(const ValidModule& module, size_t most = kMostBytes);

// All that an engine may keep, and all that a run may take. Error api_memory.
absl::Status CheckRunAddressable(const ValidModule& module, int threads, size_t most = kMostBytes);

}  // namespace tally::api
