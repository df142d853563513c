#include "cli/load.h"

#include <fstream>
#include <iterator>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "serializer/load_module.h"
#include "vm/validator.h"

namespace tally::cli {

absl::StatusOr<std::string> ReadTextFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return MakeError("file_open", absl::StrCat("cannot open '", path, "'"));
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) return MakeError("file_read", absl::StrCat("cannot read '", path, "'"));
  return text;
}

absl::StatusOr<std::vector<uint8_t>> ReadFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path));
  return std::vector<uint8_t>(text.begin(), text.end());
}

absl::StatusOr<std::shared_ptr<const ValidModule>> LoadValidModule(const std::string& path) {
  ASSIGN_OR_RETURN(Module module, LoadModule(path));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(module)));
  return std::make_shared<const ValidModule>(std::move(valid));
}

absl::StatusOr<std::pair<std::string, std::string>> SplitOption(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return MakeError("option_syntax", absl::StrCat("'", text, "' is not NAME=VALUE"));
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

}  // namespace tally::cli
