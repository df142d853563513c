#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/io/file.h"
#include "base/io/input_file.h"
#include "base/labels.h"
#include "base/status_macros.h"

namespace tally {

absl::StatusOr<std::vector<uint8_t>> ReadFile(const std::string& path, uint64_t max_bytes) {
  ASSIGN_OR_RETURN(const InputFile file, InputFile::Open(path, max_bytes));
  // One byte more than the file has shows its end. It may have grown meanwhile, and files of /proc claim to
  // be empty.
  std::vector<uint8_t> bytes(file.size() + 1);
  size_t length = 0;
  while (true) {
    const ssize_t n = read(file.fd(), bytes.data() + length, bytes.size() - length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ReadError(label::file_read, path, std::strerror(errno));
    if (n == 0) break;
    length += static_cast<size_t>(n);
    if (length > max_bytes) return TooLarge(path, max_bytes);
    if (length == bytes.size()) bytes.resize(std::min<uint64_t>(2 * length, max_bytes + 1));
  }
  bytes.resize(length);
  return bytes;
}

}  // namespace tally
