// The elements of a tensor as a JSON array, flat or nested, and as bytes.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/protocol/datatype.h"

namespace tally::server {

// At most `most` elements. Errors request_form: there are more, or one is not a value of the datatype.
absl::StatusOr<std::string> ElementsOfJson(const nlohmann::json& data, Datatype datatype, size_t most);

// Appends a flat array. `data` has whole elements. Reals have the fewest digits that give them back.
void AppendJson(Datatype datatype, std::string_view data, std::string& json);

// Appends a string with its quotes; bytes that are not UTF-8 become U+FFFD.
void AppendJson(std::string_view text, std::string& json);

}  // namespace tally::server
