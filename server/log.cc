#include "server/log.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

namespace tally::server {

void LogEvent(std::string_view event, const nlohmann::ordered_json& members) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const auto seconds = static_cast<std::time_t>(milliseconds / 1000);
  std::tm utc = {};
  gmtime_r(&seconds, &utc);
  char time[40], fraction[8];
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>(milliseconds % 1000));
  nlohmann::ordered_json line = {{"time", std::string(time) + fraction}, {"event", event}};
  line.update(members);
  // One call, so that the lines of several threads do not mix.
  const std::string text = line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody reads the log
}

}  // namespace tally::server
