#include "base/io/staging_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/io/staging_name.h"
#include "base/labels.h"
#include "base/strings.h"

namespace tally::internal {
namespace {

std::optional<std::string> RandomName() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) return std::nullopt;
  return StagingName(number);
}

Descriptor OpenFolder(const std::string& path) {
  return Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// Whether `path` still names the folder that is open.
bool IsAt(const Descriptor& folder, const std::string& path) {
  struct stat open = {}, named = {};
  return fstat(folder.get(), &open) == 0 && lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

bool IsOwn(const Descriptor& folder) {
  struct stat info = {};
  return fstat(folder.get(), &info) == 0 && info.st_uid == geteuid();
}

// Removes the files in the folder and then the folder, unless it holds folders: those are not ours.
void Remove(const Descriptor& folder, const std::string& path) {
  DIR* const entries = fdopendir(fcntl(folder.get(), F_DUPFD_CLOEXEC, 0));
  if (entries == nullptr) return;
  while (const dirent* entry = readdir(entries)) unlinkat(folder.get(), entry->d_name, 0);
  closedir(entries);
  rmdir(path.c_str());
}

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

absl::StatusOr<StagingFolder> StagingFolder::Create(const std::string& parent) {
  // Another process may take a new folder for a stale one and remove it before it has its lock.
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::optional<std::string> name = RandomName();
    if (!name.has_value()) break;
    std::string path = parent + "/" + *name;
    if (mkdir(path.c_str(), 0700) != 0) {
      if (errno == EEXIST) continue;
      break;
    }
    Descriptor folder = OpenFolder(path);
    if (folder.get() < 0 && errno != ENOENT) {
      const int error = errno;
      rmdir(path.c_str());
      errno = error;
      break;
    }
    // Where there are no locks, nobody can lock the folder to remove it.
    const bool locked = flock(folder.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (locked && IsAt(folder, path)) return StagingFolder(std::move(path), std::move(folder));
  }
  return MakeError(label::file_write, absl::StrCat("cannot write in ", parent, ": ", std::strerror(errno)));
}

StagingFolder::~StagingFolder() {
  if (descriptor_.get() >= 0) Remove(descriptor_, path_);
}

bool StagingFolder::Write(const std::string& name, std::span<const uint8_t> bytes, bool owner_alone) const {
  const mode_t mode = owner_alone ? 0600 : 0666;  // which leaves the rest to the umask
  Descriptor file(
      openat(descriptor_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  return file.get() >= 0 && WriteAll(file.get(), bytes) && fsync(file.get()) == 0 && file.Close();
}

bool StagingFolder::Move(const std::string& name, const std::string& target) const {
  return renameat(descriptor_.get(), name.c_str(), AT_FDCWD, target.c_str()) == 0;
}

bool StagingFolder::MoveToFree(const std::string& name, const std::string& target) const {
#if defined(RENAME_NOREPLACE)
  if (renameat2(descriptor_.get(), name.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0)
    return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
#endif
  // C libraries and file systems that know no such move make a link where there is nothing, or not at all.
  return linkat(descriptor_.get(), name.c_str(), AT_FDCWD, target.c_str(), 0) == 0 &&
         unlinkat(descriptor_.get(), name.c_str(), 0) == 0;
}

void RemoveStaleStaging(const std::string& parent) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!IsStagingName(entry->path().filename().string())) continue;
    const Descriptor folder = OpenFolder(entry->path().string());
    if (folder.get() < 0 || !IsOwn(folder)) continue;
    if (flock(folder.get(), LOCK_EX | LOCK_NB) == 0) Remove(folder, entry->path().string());
  }
}

}  // namespace tally::internal
