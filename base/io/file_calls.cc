#include "base/io/file_calls.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "base/io/descriptor.h"

namespace tally {

int OpenToRead(const std::string& path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer. It means nothing for a regular file.
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

int DuplicateDescriptor(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 0); }

ssize_t ReadAtOffset(int fd, void* to, size_t size, uint64_t offset) {
  while (true) {
    const ssize_t read = pread(fd, to, size, static_cast<off_t>(offset));
    if (read >= 0 || errno != EINTR) return read;
  }
}

const uint8_t* MapFile(int fd, size_t size) {
  void* const address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  return address == MAP_FAILED ? nullptr : static_cast<const uint8_t*>(address);
}

void UnmapFile(const uint8_t* bytes, size_t size) { munmap(const_cast<uint8_t*>(bytes), size); }

void ForgetPages(const uint8_t* part, size_t size) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(part), end = begin + size;
  const uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

NamelessFile OpenNamelessFile() {
  const int fd = memfd_create("tally", MFD_CLOEXEC);
  return {fd, "/proc/self/fd/" + std::to_string(fd)};
}

void SyncFolder(const std::string& folder) {
  const internal::Descriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() >= 0) fsync(descriptor.get());
}

}  // namespace tally
