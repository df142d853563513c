#include "frontends/cvm/fields.h"

#include <algorithm>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/cvm/labels.h"

namespace tally::cvm {

absl::Status CheckKeys(const Json& parent, std::initializer_list<std::string_view> keys) {
  if (!parent.is_object())
    return MakeError(label::cvm_key, absl::StrCat("an ", parent.type_name(), " is not an object"));
  for (const auto& [key, value] : parent.items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      return MakeError(label::cvm_key, absl::StrCat("there is no field '", PrintableStart(key), "'"));
    }
  }
  return absl::OkStatus();
}

const Json* FindField(const Json& parent, std::string_view key) {
  const auto found = parent.find(std::string(key));
  return found == parent.end() ? nullptr : &*found;
}

absl::StatusOr<const Json*> Field(const Json& parent, std::string_view key, Json::value_t type) {
  const Json* field = FindField(parent, key);
  if (field == nullptr)
    return MakeError(label::cvm_key, absl::StrCat("the field ", ToAbsl(key), " is missing"));
  if (field->type() != type) {
    return MakeError(label::cvm_key, absl::StrCat("the field ", ToAbsl(key), " is of type ",
                                                  field->type_name(), ", not ", Json(type).type_name()));
  }
  return field;
}

absl::StatusOr<std::string> StringField(const Json& parent, std::string_view key) {
  ASSIGN_OR_RETURN(const Json* field, Field(parent, key, Json::value_t::string));
  return field->get<std::string>();
}

absl::StatusOr<std::string> OptionalStringField(const Json& parent, std::string_view key,
                                                std::string_view fallback) {
  if (FindField(parent, key) == nullptr) return std::string(fallback);
  return StringField(parent, key);
}

absl::StatusOr<const Json*> TaggedList(const Json& parent, std::string_view key, std::string_view tag) {
  ASSIGN_OR_RETURN(const Json* field, Field(parent, key, Json::value_t::array));
  if (field->size() != 2 || !(*field)[0].is_string() || (*field)[0].get<std::string>() != tag ||
      !(*field)[1].is_array()) {
    return MakeError(label::cvm_key,
                     absl::StrCat("the field ", ToAbsl(key), " is not [\"", ToAbsl(tag), "\", [...]]"));
  }
  return &(*field)[1];
}

absl::StatusOr<std::vector<int64_t>> Ints(const Json& list, std::string_view what) {
  std::vector<int64_t> values;
  bool fits = list.is_array();
  for (const Json& item : list) {
    fits = fits && item.is_number_integer();
    if (fits) values.push_back(item.get<int64_t>());
  }
  if (!fits) return MakeError(label::cvm_key, absl::StrCat(ToAbsl(what), " is not a list of integers"));
  return values;
}

absl::StatusOr<std::vector<std::string>> Strings(const Json& list, std::string_view what) {
  std::vector<std::string> values;
  bool fits = list.is_array();
  for (const Json& item : list) {
    fits = fits && item.is_string();
    if (fits) values.push_back(item.get<std::string>());
  }
  if (!fits) return MakeError(label::cvm_key, absl::StrCat(ToAbsl(what), " is not a list of strings"));
  return values;
}

}  // namespace tally::cvm
