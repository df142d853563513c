#include "server/keys/private_file.h"

#include <sys/stat.h>

#include "base/error.h"
#include "base/io/file.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/labels.h"

namespace tally::server {

absl::StatusOr<std::vector<uint8_t>> ReadPrivateFile(const std::string& path, uint64_t most_bytes) {
  ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, ReadFile(path, most_bytes));
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0 || (found.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return MakeError(label::key_mode, absl::StrCat("'", Printable(path), "' has to have mode 600"));
  return bytes;
}

}  // namespace tally::server
