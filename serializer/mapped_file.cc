#include "serializer/mapped_file.h"

#include <cerrno>
#include <cstring>

#include "base/io/file_calls.h"
#include "base/status_macros.h"
#include "serializer/labels.h"

namespace tally {

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::string& path) {
  ASSIGN_OR_RETURN(const InputFile file, InputFile::Open(path, kMaxMappedBytes));
  return Map(file);
}

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Map(const InputFile& file) {
  const size_t size = file.size();
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile({}));  // mmap refuses an empty range
  const uint8_t* const bytes = MapFile(file.fd(), size);
  if (bytes == nullptr) return ReadError(label::file_map, file.path(), std::strerror(errno));
  return std::shared_ptr<const MappedFile>(new MappedFile({bytes, size}));
}

void MappedFile::Forget(std::span<const uint8_t> part) { ForgetPages(part.data(), part.size()); }

MappedFile::~MappedFile() {
  if (!bytes_.empty()) UnmapFile(bytes_.data(), bytes_.size());
}

}  // namespace tally
