// Files of other frameworks, as the commands for modules see them: tally_minimal has no importers, and knows
// none.
#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "absl/status/status.h"

namespace tally::cli {

struct ModelFiles {
  // The name of the format of a model file, "ONNX"; none of every other file.
  std::function<std::optional<std::string>(const std::string& path)> format = [](const std::string&) {
    return std::nullopt;
  };

  // Describes a model file, as the command `info` does; none of every other file. Errors: those of the file
  // and its format.
  std::function<std::optional<absl::Status>(const std::string& path, bool json, std::ostream& out)> show =
      [](const std::string&, bool, std::ostream&) { return std::nullopt; };
};

// Those of this program: AddNetworkCommands sets them.
ModelFiles& KnownModelFiles();

}  // namespace tally::cli
