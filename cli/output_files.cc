#include "cli/output_files.h"

#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/labels.h"
#include "base/strings.h"

namespace tally::cli {
namespace {

std::string Sanitized(const std::string& name) {
  std::string safe;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || (c == '.' && !safe.empty());
    safe += plain ? c : '_';
  }
  constexpr size_t kLongest = 128;
  return safe.substr(0, kLongest);
}

}  // namespace

std::string OutputFiles::Add(const std::string& name, std::vector<uint8_t> bytes) {
  const std::string wanted = Sanitized(name);
  std::string free = wanted;
  // A number is tried once for each name, so that names which all collide take linear time.
  while (!next_copy_.try_emplace(free, 1).second) free = absl::StrCat(wanted, "_", next_copy_[wanted]++);
  files_.emplace_back((std::filesystem::path(folder_) / (free + ".npy")).string(), std::move(bytes));
  return files_.back().first;
}

absl::Status OutputFiles::Write() const {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error)
    return MakeError(label::file_write, absl::StrCat("cannot create '", folder_, "': ", error.message()));
  std::vector<FileToWrite> files;
  for (const auto& [path, bytes] : files_) files.push_back({path, bytes});
  return WriteFilesAtomically(files);
}

}  // namespace tally::cli
