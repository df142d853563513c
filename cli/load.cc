#include "cli/load.h"

#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/model_files.h"
#include "serializer/labels.h"
#include "serializer/load_module.h"
#include "vm/validator.h"

namespace tally::cli {

namespace {

// A user of another runtime gives the model itself.
absl::Status WithAdviceForModels(const absl::Status& status, const std::string& path) {
  const std::optional<std::string> format = KnownModelFiles().format(path);
  if (!format.has_value()) return status;
  return MakeError(label::bad_magic, absl::StrCat(Printable(path), " is a model of ", *format,
                                                  " and not a module: `tally quantize` makes one of it"));
}

}  // namespace

ModelFiles& KnownModelFiles() {
  static ModelFiles& known = *new ModelFiles;
  return known;
}

absl::StatusOr<std::shared_ptr<const ValidModule>> LoadValidModule(const std::string& path) {
  absl::StatusOr<Module> loaded = LoadModule(path);
  if (HasLabel(loaded.status(), label::bad_magic)) return WithAdviceForModels(loaded.status(), path);
  ASSIGN_OR_RETURN(Module module, std::move(loaded));
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
