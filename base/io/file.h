// Whole files: read up to a limit, written all or nothing.
//
//   ASSIGN_OR_RETURN(const std::vector<uint8_t> model, ReadFile("model.onnx"));
//   RETURN_IF_ERROR(WriteFileAtomically("model.tally", bytes));
//
// The file at a path is not trusted: only regular files are read, and only regular files are replaced.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tally {

// The most that ReadFile reads into memory: 4 GiB, so that a file which never ends, or which claims a size
// that no disk has, does not exhaust a machine.
inline constexpr uint64_t kMaxFileBytes = uint64_t{1} << 32;

// Errors: file_open (missing, unreadable, no regular file), file_size (more than `max_bytes`), file_read.
absl::StatusOr<std::vector<uint8_t>> ReadFile(const std::string& path, uint64_t max_bytes = kMaxFileBytes);

struct FileToWrite {
  std::string path;
  std::span<const uint8_t> bytes;
  bool owner_alone = false;  // nobody else may read the file
};

// A path that is no file: the bytes go to std::cout, after all files have their places.
inline constexpr char kStandardOutput[] = "-";

// Replaces the files at these paths, or creates them. A link stays, and the file that it leads to is
// replaced. Only regular files are replaced. All bytes reach the disk in folders of their own beside the
// files, named .tally-tmp- and 16 digits, before the first file gets its name, in one step: a reader sees
// the old file or the new one, and a full disk or a killed process leaves every old file whole. Ctrl-C waits
// until this is done. A failure leaves no other files. The next call that writes beside a killed process's
// folder removes it, except on file systems that cannot lock folders. Only the names are assigned one after
// the other: a process killed in between leaves the first files new and the others old. Error file_write.
absl::Status WriteFilesAtomically(std::span<const FileToWrite> files);

// The same where none of the files exists: each appears in one step, and none is ever replaced, whoever
// writes at the same time. Where one exists already, those that this call has made are removed again. Error
// file_write.
absl::Status CreateFilesAtomically(std::span<const FileToWrite> files);

// One file.
absl::Status WriteFileAtomically(const std::string& path, std::span<const uint8_t> bytes);

// The path without links of a file that is to be written by others, such as a database: it is a regular file,
// or none yet. Error file_write.
absl::StatusOr<std::string> WritablePath(const std::string& path);

inline std::string_view AsText(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const uint8_t> AsBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace tally
