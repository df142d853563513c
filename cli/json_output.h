// JSON for machines.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

namespace tally::cli {

using Json = nlohmann::ordered_json;

// Indented, in ASCII alone: names from modules and paths cannot reverse or break the text around them, and a
// parser reads them as they are. Bytes of a path that are no UTF-8 become U+FFFD, since JSON has no place for
// them.
inline void PrintJson(const Json& json, std::ostream& out) {
  out << json.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) << "\n";
}

// The same on one line, without a line end.
inline std::string JsonLine(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

}  // namespace tally::cli
