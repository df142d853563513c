// Pointers of Git LFS: the few lines of text that Git leaves for a large file that was not fetched.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/error.h"
#include "base/printable.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

inline bool IsFilePointer(std::span<const uint8_t> file) {
  constexpr std::string_view kStart = "version https://git-lfs.github.com/spec/";
  return file.size() >= kStart.size() &&
         std::string_view(reinterpret_cast<const char*>(file.data()), kStart.size()) == kStart;
}

// Refuses a file with weights, at `path`, whose first bytes are `start`. Error: model_format.
inline absl::Status CheckIsNotPointer(std::span<const uint8_t> start, const std::string& path) {
  if (!IsFilePointer(start)) return absl::OkStatus();
  return MakeError(label::model_format,
                   "'" + Printable(path) + "' is a pointer of Git LFS: fetch the file itself, git lfs pull");
}

}  // namespace tally::frontend
