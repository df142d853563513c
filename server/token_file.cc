#include "server/token_file.h"

#include "base/io/file.h"
#include "base/status_macros.h"

namespace tally::server {

absl::StatusOr<std::string> ReadTokenFile(const std::string& path) {
  if (path.empty()) return std::string();
  ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile(path, 1 << 10));
  const std::string_view token = AsText(text);
  return std::string(token.substr(0, token.find_first_of("\r\n")));
}

}  // namespace tally::server
