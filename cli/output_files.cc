#include "cli/output_files.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
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
  const auto path_of = [&](int copy) {
    const std::string suffix = copy == 0 ? "" : absl::StrCat("_", copy);
    return (std::filesystem::path(folder_) / (Sanitized(name) + suffix + ".npy")).string();
  };
  const auto taken = [&](const std::string& path) {
    return std::any_of(files_.begin(), files_.end(), [&](const auto& file) { return file.first == path; });
  };
  int copy = 0;
  while (taken(path_of(copy))) ++copy;
  files_.emplace_back(path_of(copy), std::move(bytes));
  return files_.back().first;
}

absl::Status OutputFiles::Write() {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) return MakeError("file_write", absl::StrCat("cannot create '", folder_, "': ", error.message()));
  for (size_t i = 0; i < files_.size(); ++i) {
    const absl::Status status = WriteFileAtomically(files_[i].first, files_[i].second);
    if (status.ok()) continue;
    for (size_t written = 0; written < i; ++written) std::filesystem::remove(files_[written].first, error);
    return status;
  }
  return absl::OkStatus();
}

}  // namespace tally::cli
