#include "cli/output_files.h"

#include <filesystem>

#include "base/error.h"
#include "base/io/file.h"
#include "base/io/path.h"
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

namespace fs = std::filesystem;

// Whether two paths lead to one file, there or yet to be made.
bool IsSame(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error) && !error) return fs::is_regular_file(a, error);
  const fs::path canonical_a = fs::weakly_canonical(fs::absolute(a, error), error);
  const fs::path canonical_b = fs::weakly_canonical(fs::absolute(b, error), error);
  return !error && canonical_a == canonical_b && !fs::exists(a, error);
}

// A folder is read with all files that are in it.
bool IsRead(const fs::path& written, const fs::path& read) {
  std::error_code error;
  if (!fs::is_directory(read, error)) return IsSame(written, read);
  const fs::path folder = written.has_parent_path() ? written.parent_path() : fs::path(".");
  return fs::exists(written, error) && fs::equivalent(folder, read, error) && !error;
}

}  // namespace

absl::Status CheckApart(std::span<const std::string> read, std::span<const std::string> written) {
  const auto refuse = [](const std::string& path, const char* why) {
    return MakeError(label::file_write, absl::StrCat("cannot write ", path, ": ", why));
  };
  for (size_t i = 0; i < written.size(); ++i) {
    for (const std::string& path : read) {
      if (IsRead(written[i], path)) return refuse(written[i], "the same command reads it");
    }
    for (size_t j = 0; j < i; ++j) {
      if (IsSame(written[i], written[j]))
        return refuse(written[i], "another result of the command goes there");
    }
  }
  return absl::OkStatus();
}

std::vector<std::string> OutputFiles::paths() const {
  std::vector<std::string> paths;
  for (const auto& file : files_) paths.push_back(file.first);
  return paths;
}

std::string OutputFiles::Add(const std::string& name, std::vector<uint8_t> bytes) {
  const std::string wanted = Sanitized(name);
  std::string free = wanted;
  // A number is tried once for each name, so that names which all collide take linear time.
  while (!next_copy_.try_emplace(free, 1).second) free = absl::StrCat(wanted, "_", next_copy_[wanted]++);
  files_.emplace_back((PathOf(folder_) / (free + ".npy")).generic_string(), std::move(bytes));
  return files_.back().first;
}

absl::Status OutputFiles::Write() const {
  std::error_code error;
  std::filesystem::create_directories(PathOf(folder_), error);
  if (error)
    return MakeError(label::file_write, absl::StrCat("cannot create '", folder_, "': ", error.message()));
  std::vector<FileToWrite> files;
  for (const auto& [path, bytes] : files_) files.push_back({path, bytes});
  return WriteFilesAtomically(files);
}

}  // namespace tally::cli
