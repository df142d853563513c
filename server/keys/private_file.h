// Files that nobody but their owner may read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tally::server {

// Errors: key_mode, where others may read it; those of ReadFile.
absl::StatusOr<std::vector<uint8_t>> ReadPrivateFile(const std::string& path, uint64_t most_bytes);

}  // namespace tally::server
