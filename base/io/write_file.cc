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
#include "base/held_signals.h"
#include "base/io/file.h"
#include "base/io/file_calls.h"
#include "base/io/file_kind.h"
#include "base/io/path.h"
#include "base/io/staging_folder.h"
#include "base/labels.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace tally {
namespace {

namespace fs = std::filesystem;
using internal::StagingFolder;

absl::Status WriteError(const std::string& path, const std::string& reason) {
  return MakeError(label::file_write, absl::StrCat("cannot write ", path, ": ", reason));
}

// The name of the file that `path` stands for, without links.
absl::StatusOr<fs::path> TargetOf(const std::string& path) {
  std::error_code error;
  const fs::file_type named = fs::symlink_status(PathOf(path), error).type();
  if (named == fs::file_type::not_found) {
    const fs::path parent = PathOf(path).parent_path(), name = PathOf(path).filename();
    if (name.empty()) return WriteError(path, "it names no file");
    const fs::path folder = fs::canonical(parent.empty() ? "." : parent, error);
    if (error) return WriteError(path, error.message());
    return folder / name;
  }
  if (error) return WriteError(path, error.message());
  const fs::path target = fs::canonical(PathOf(path), error);
  if (error) return WriteError(path, error.message());
  const fs::file_type type = fs::status(target, error).type();
  if (error) return WriteError(path, error.message());
  if (const char* reason = internal::WhyNotRegular(type); reason != nullptr) {
    return WriteError(path, reason);
  }
  return target;
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
    if (!place->second.Write(std::to_string(i), files[i].bytes, files[i].owner_alone)) {
      return WriteError(files[i].path, std::strerror(errno));
    }
  }

  for (size_t i = 0; i < files.size(); ++i) {
    const StagingFolder& place = staging.at(targets[i].parent_path().string());
    if ((place.*place_file)(std::to_string(i), targets[i].string())) continue;
    const int why = errno;
    std::error_code ignored;
    for (size_t made = 0; takes_back && made < i; ++made) fs::remove(targets[made], ignored);
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

absl::StatusOr<std::string> WritablePath(const std::string& path) {
  ASSIGN_OR_RETURN(const fs::path target, TargetOf(path));
  return target.string();
}

absl::Status CreateFilesAtomically(std::span<const FileToWrite> files) {
  return WriteFiles(files, &StagingFolder::MoveToFree, true);
}

absl::Status WriteFileAtomically(const std::string& path, std::span<const uint8_t> bytes) {
  const FileToWrite file = {path, bytes};
  return WriteFilesAtomically({&file, 1});
}

}  // namespace tally
