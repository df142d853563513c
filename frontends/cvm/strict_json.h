// Untrusted JSON, as a tree: only what every reader understands alike.
//
//   ASSIGN_OR_RETURN(const Json tree, ParseStrictJson(R"({"axis": [1, 2]})"));
//
// RFC 8259 in UTF-8, and no more: no comments, nothing after the value. A key occurs once in its object,
// numbers are integers of 64 bits, and values nest kMaxJsonDepth deep at most. Memory grows with the text,
// which has at most kMaxJsonBytes.
//
// Errors: cvm_json
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "absl/status/statusor.h"

namespace tally::cvm {

using Json = nlohmann::json;

inline constexpr size_t kMaxJsonBytes = size_t{1} << 24;  // a network of 1,000 nodes has about 2^19
inline constexpr size_t kMaxJsonDepth = 16;               // a graph has 5

absl::StatusOr<Json> ParseStrictJson(std::string_view text);

}  // namespace tally::cvm
