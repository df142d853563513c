// The fields of JSON objects, with the type that they must have.
//
//   RETURN_IF_ERROR(CheckKeys(node, {"op", "name", "inputs"}));
//   ASSIGN_OR_RETURN(const std::string name, StringField(node, "name"));
//
// Errors: cvm_key   `parent` is no object, or a field is missing, unknown or has another type
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/cvm/strict_json.h"

namespace tally::cvm {

// `parent` is an object that has no other keys than these.
absl::Status CheckKeys(const Json& parent, std::initializer_list<std::string_view> keys);

// The field, or null. `parent` is an object.
const Json* FindField(const Json& parent, std::string_view key);

absl::StatusOr<const Json*> Field(const Json& parent, std::string_view key, Json::value_t type);
absl::StatusOr<std::string> StringField(const Json& parent, std::string_view key);
// `fallback` where the field is missing.
absl::StatusOr<std::string> OptionalStringField(const Json& parent, std::string_view key,
                                                std::string_view fallback);

// [tag, list], as the graph's `attrs` write their lists; the list.
absl::StatusOr<const Json*> TaggedList(const Json& parent, std::string_view key, std::string_view tag);

// `what` names the list in the message.
absl::StatusOr<std::vector<int64_t>> Ints(const Json& list, std::string_view what);
absl::StatusOr<std::vector<std::string>> Strings(const Json& list, std::string_view what);

}  // namespace tally::cvm
