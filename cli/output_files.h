// Several files that appear together or not at all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace tally::cli {

// That no file is written which is also read, or twice, by whatever names. Paths that are read may be
// folders. Errors: file_write.
absl::Status CheckApart(std::span<const std::string> read, std::span<const std::string> written);

class OutputFiles {
 public:
  explicit OutputFiles(std::string folder) : folder_(std::move(folder)) {}

  // Plans <folder>/<name>.npy and returns that path. Bytes of `name` that are awkward in a file name become
  // '_', and a number is appended where two names would share a file.
  std::string Add(const std::string& name, std::vector<uint8_t> bytes);

  // Plans a file at a path of its own, beside those in the folder.
  void AddAt(const std::string& path, std::vector<uint8_t> bytes) {
    files_.emplace_back(path, std::move(bytes));
  }

  std::vector<std::string> paths() const;

  // Creates the folder and writes every file or none. Error file_write.
  absl::Status Write() const;

 private:
  std::string folder_;
  std::vector<std::pair<std::string, std::vector<uint8_t>>> files_;
  // For each name that is taken, the number to try next.
  std::unordered_map<std::string, size_t> next_copy_;
};

}  // namespace tally::cli
