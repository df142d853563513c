#include "serializer/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace tally {
namespace {

absl::Status FileError(std::string_view label, const std::string& path, const char* reason) {
  return MakeError(label, "cannot read " + path + ": " + reason);
}

absl::StatusOr<std::span<const uint8_t>> Map(int fd, const std::string& path) {
  struct stat info = {};
  if (fstat(fd, &info) != 0) return FileError("file_open", path, std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return FileError("file_open", path, "it is not a regular file");
  const size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) return std::span<const uint8_t>();  // mmap refuses an empty range
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (address == MAP_FAILED) return FileError("file_map", path, std::strerror(errno));
  return std::span<const uint8_t>(static_cast<const uint8_t*>(address), size);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::string& path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer. It means nothing for a regular file.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return FileError("file_open", path, std::strerror(errno));
  const absl::StatusOr<std::span<const uint8_t>> bytes = Map(fd, path);
  close(fd);  // a mapping outlives its descriptor
  if (!bytes.ok()) return bytes.status();
  return std::shared_ptr<const MappedFile>(new MappedFile(*bytes));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
}

}  // namespace tally
