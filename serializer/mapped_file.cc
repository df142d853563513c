#include "serializer/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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
  // A mapping outlives its descriptor.
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd(), 0);
  if (address == MAP_FAILED) return ReadError(label::file_map, file.path(), std::strerror(errno));
  return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const uint8_t*>(address), size}));
}

void MappedFile::Forget(std::span<const uint8_t> part) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(part.data()), end = begin + part.size();
  const uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
}

}  // namespace tally
