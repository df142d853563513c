// The log of a server: a line of JSON for each event, on standard error.
//
//   LogEvent("model", {{"name", name}, {"loaded", true}});
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace tally::server {

// {"time": "2026-11-30T03:30:35.123Z", "event": event, ...}. May be called by many threads at once.
void LogEvent(std::string_view event, const nlohmann::ordered_json& members);

}  // namespace tally::server
