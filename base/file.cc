#include "base/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace tally {
namespace {

absl::Status WriteError(const std::string& path, int error) {
  return MakeError("file_write", "cannot write " + path + ": " + std::strerror(error));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }

  // False when the system reports a delayed write error; the descriptor is gone either way.
  bool Close() {
    if (fd_ < 0) return true;
    const int result = close(fd_);
    fd_ = -1;
    return result == 0;
  }

 private:
  int fd_;
};

// A new file beside `path` that disappears unless it is renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path) : name_(path + Suffix()) {
    // O_EXCL: never follows or reuses what somebody else put there. Mode 0666 leaves the rest to the umask.
    fd_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    created_ = fd_ >= 0;
  }
  ~TemporaryFile() {
    if (created_) unlink(name_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int fd() const { return fd_; }  // negative: not created, errno says why
  bool RenameTo(const std::string& path) {
    if (std::rename(name_.c_str(), path.c_str()) != 0) return false;
    created_ = false;
    return true;
  }

 private:
  // Unlike any other of this process, and of other processes on this machine.
  static std::string Suffix() {
    static std::atomic<uint64_t> counter = 0;
    return ".tmp-" + std::to_string(getpid()) + "-" + std::to_string(counter++);
  }

  std::string name_;
  int fd_ = -1;
  bool created_ = false;
};

bool WriteAll(int fd, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

absl::Status WriteFileAtomically(const std::string& path, std::span<const uint8_t> bytes) {
  TemporaryFile file(path);
  if (file.fd() < 0) return WriteError(path, errno);
  Descriptor descriptor(file.fd());
  if (!WriteAll(descriptor.get(), bytes) || fsync(descriptor.get()) != 0 || !descriptor.Close() ||
      !file.RenameTo(path)) {
    return WriteError(path, errno);
  }
  // The new name must survive a power cut too. Folders of some file systems cannot be synced; the file is
  // whole all the same.
  const std::string folder = std::filesystem::path(path).parent_path().string();
  Descriptor parent(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.get() >= 0) fsync(parent.get());
  return absl::OkStatus();
}

}  // namespace tally
