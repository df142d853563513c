// The first step of several commands: loading and validating a module, splitting NAME=VALUE options.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "vm/valid_module.h"

namespace tally::cli {

// Decodes and validates.
absl::StatusOr<std::shared_ptr<const ValidModule>> LoadValidModule(const std::string& path);

// "name=value" at the first '='; error option_syntax when there is none.
absl::StatusOr<std::pair<std::string, std::string>> SplitOption(const std::string& text);

}  // namespace tally::cli
