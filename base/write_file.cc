#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/held_signals.h"
#include "base/internal/descriptor.h"
#include "base/internal/file_kind.h"
#include "base/internal/staging_folder.h"
#include "base/labels.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace tally {
namespace {

namespace fs = std::filesystem;
using internal::Descriptor;
using internal::StagingFolder;

absl::Status WriteError(const std::string& path, const std::string& reason) {
  return MakeError(label::file_write, absl::StrCat("cannot write ", path, ": ", reason));
}

// The name of the file that `path` stands for, without links.
absl::StatusOr<fs::path> TargetOf(const std::string& path) {
  std::error_code error;
  struct stat info = {};
  if (lstat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) return WriteError(path, std::strerror(errno));
    const fs::path parent = fs::path(path).parent_path(), name = fs::path(path).filename();
    if (name.empty()) return WriteError(path, "it names no file");
    const fs::path folder = fs::canonical(parent.empty() ? "." : parent, error);
    if (error) return WriteError(path, error.message());
    return folder / name;
  }
  const fs::path target = fs::canonical(path, error);
  if (error) return WriteError(path, error.message());
  if (stat(target.c_str(), &info) != 0) return WriteError(path, std::strerror(errno));
  if (const char* reason = internal::WhyNotRegular(info.st_mode); reason != nullptr) {
    return WriteError(path, reason);
  }
  return target;
}

// New names must survive a power cut too. Folders of some file systems cannot be synced; the files are whole
// all the same.
void SyncFolder(const std::string& folder) {
  const Descriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() >= 0) fsync(descriptor.get());
}

// Gives staged files their places. False: errno says why.
using Place = bool (StagingFolder::*)(const std::string& name, const std::string& target) const;

absl::Status PlaceFiles(std::span<const FileToWrite> files, Place place_file, bool takes_back) {
  std::vector<fs::path> targets;
  std::set<fs::path> distinct;
  for (const FileToWrite& file : files) {
    ASSIGN_OR_RETURN(fs::path target, TargetOf(file.path));
    if (!distinct.insert(target).second) return WriteError(file.path, "another result has this name");
    targets.push_back(std::move(target));
  }

  std::map<std::string, StagingFolder> staging;  // by the folder that it is in
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string folder = targets[i].parent_path().string();
    auto place = staging.find(folder);
    if (place == staging.end()) {
      internal::RemoveStaleStaging(folder);
      ASSIGN_OR_RETURN(StagingFolder created, StagingFolder::Create(folder));
      place = staging.emplace(folder, std::move(created)).first;
    }
    if (!place->second.Write(std::to_string(i), files[i].bytes)) {
      return WriteError(files[i].path, std::strerror(errno));
    }
  }

  for (size_t i = 0; i < files.size(); ++i) {
    const StagingFolder& place = staging.at(targets[i].parent_path().string());
    if ((place.*place_file)(std::to_string(i), targets[i].string())) continue;
    const int why = errno;
    for (size_t made = 0; takes_back && made < i; ++made) unlink(targets[made].c_str());
    return WriteError(files[i].path, std::strerror(why));
  }
  for (const auto& [folder, place] : staging) SyncFolder(folder);
  return absl::OkStatus();
}

absl::Status WriteFiles(std::span<const FileToWrite> files, Place place_file, bool takes_back) {
  const HeldSignals held;
  std::vector<FileToWrite> placed;
  const FileToWrite* printed = nullptr;
  for (const FileToWrite& file : files) {
    if (file.path != kStandardOutput) {
      placed.push_back(file);
    } else if (std::exchange(printed, &file) != nullptr) {
      return WriteError(file.path, "another result goes to standard output");
    }
  }
  RETURN_IF_ERROR(PlaceFiles(placed, place_file, takes_back));
  if (printed == nullptr) return absl::OkStatus();
  // Whether all of it arrives shows when std::cout is flushed at the end of the program.
  std::cout.write(reinterpret_cast<const char*>(printed->bytes.data()),
                  static_cast<std::streamsize>(printed->bytes.size()));
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteFilesAtomically(std::span<const FileToWrite> files) {
  return WriteFiles(files, &StagingFolder::Move, false);
}

absl::Status CreateFilesAtomically(std::span<const FileToWrite> files) {
  return WriteFiles(files, &StagingFolder::MoveToFree, true);
}

absl::Status WriteFileAtomically(const std::string& path, std::span<const uint8_t> bytes) {
  const FileToWrite file = {path, bytes};
  return WriteFilesAtomically({&file, 1});
}

}  // namespace tally
