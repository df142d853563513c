#include "cli/load.h"

#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "serializer/load_module.h"
#include "vm/validator.h"

namespace tally::cli {

absl::StatusOr<std::shared_ptr<const ValidModule>> LoadValidModule(const std::string& path) {
  ASSIGN_OR_RETURN(Module module, LoadModule(path));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(module)));
  return std::make_shared<const ValidModule>(std::move(valid));
}

absl::StatusOr<std::pair<std::string, std::string>> SplitOption(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return MakeError(label::option_syntax, absl::StrCat("'", text, "' is not NAME=VALUE"));
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

}  // namespace tally::cli
