// What several commands begin with: files into memory, modules into proofs, NAME=VALUE options apart.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/valid_module.h"

namespace tally::cli {

// The whole file. Errors: file_open, file_read.
absl::StatusOr<std::vector<uint8_t>> ReadFile(const std::string& path);
absl::StatusOr<std::string> ReadTextFile(const std::string& path);

// Decodes and validates.
absl::StatusOr<std::shared_ptr<const ValidModule>> LoadValidModule(const std::string& path);

// "name=value" at the first '='; error option_syntax when there is none.
absl::StatusOr<std::pair<std::string, std::string>> SplitOption(const std::string& text);

}  // namespace tally::cli
