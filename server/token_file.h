// Files with a bearer token.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace tally::server {

// The first line of a file; empty where the path is. Errors: those of ReadFile.
absl::StatusOr<std::string> ReadTokenFile(const std::string& path);

}  // namespace tally::server
