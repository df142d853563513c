#include "cli/named_values.h"

#include <map>

#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/load.h"

namespace tally::cli {

absl::StatusOr<std::vector<std::optional<std::string>>> ValuesByName(const std::vector<std::string>& options,
                                                                     const std::vector<std::string>& names,
                                                                     std::string_view flag,
                                                                     std::optional<Label> missing) {
  std::map<std::string, std::string> given;
  for (const std::string& option : options) {
    std::pair<std::string, std::string> name_and_value;
    if (option.find('=') == std::string::npos && names.size() == 1) {
      name_and_value = {names[0], option};
    } else {
      ASSIGN_OR_RETURN(name_and_value, SplitOption(option));
    }
    const std::string name = name_and_value.first;
    if (!given.insert(std::move(name_and_value)).second)
      return MakeError(label::input_name, absl::StrCat("input '", name, "' has two of ", ToAbsl(flag)));
  }
  std::vector<std::optional<std::string>> values;
  for (const std::string& name : names) {
    const auto value = given.find(name);
    if (value == given.end() && missing.has_value())
      return MakeError(*missing, absl::StrCat("no ", ToAbsl(flag), " for input '", name, "'"));
    values.emplace_back();
    if (value == given.end()) continue;
    values.back() = value->second;
    given.erase(value);
  }
  if (!given.empty()) {
    return MakeError(label::input_name,
                     absl::StrCat(ToAbsl(flag), ": there is no input '", given.begin()->first,
                                  "'; the inputs are ", absl::StrJoin(names, ", ")));
  }
  return values;
}

std::vector<std::string> PathsIn(const std::string& option) {
  const size_t equals = option.find('=');
  if (equals == std::string::npos || equals + 1 == option.size()) return {option};
  return {option, option.substr(equals + 1)};
}

}  // namespace tally::cli
