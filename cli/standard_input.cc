#include "cli/standard_input.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/io/file.h"
#include "base/io/file_calls.h"

namespace tally::cli {
namespace {

[[noreturn]] void Fail(const std::string& why) { throw CLI::ValidationError("standard input", why); }

void CopyTo(int file) {
  std::array<char, 1 << 16> piece;
  uint64_t total = 0;
  while (true) {
    const ssize_t size = read(STDIN_FILENO, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) Fail(std::strerror(errno));
    if (size == 0) return;
    total += static_cast<uint64_t>(size);
    if (total > kMaxFileBytes) Fail("it has more than " + std::to_string(kMaxFileBytes) + " bytes");
    for (ssize_t done = 0; done < size;) {
      const ssize_t written = write(file, piece.data() + done, static_cast<size_t>(size - done));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) Fail(std::strerror(errno));
      done += written;
    }
  }
}

}  // namespace

std::string StandardInput::PathInPlaceOf(const std::string& value) {
  const std::string name = value.substr(0, value.find('=') + 1);  // "" where there is none
  if (value != name + "-") return value;
  if (is_read_) Fail("it is read once, and two files of the command line are -");
  is_read_ = true;
  const NamelessFile file = OpenNamelessFile();
  if (file.fd < 0) Fail(std::strerror(errno));
  CopyTo(file.fd);
  return name + file.path;
}

}  // namespace tally::cli
