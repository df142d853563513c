// A regular file, open for reading. All that Tally reads goes through here.
//
//   ASSIGN_OR_RETURN(const InputFile file, InputFile::Open("model.tally", kMaxBytes));
//
// The file at a path is not trusted. A folder, a FIFO, a socket or a device is refused, and opening never
// waits: not for the writer of a FIFO, not for a terminal.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/error.h"
#include "base/io/descriptor.h"

namespace tally {

class InputFile {
 public:
  // Errors: file_open (missing, unreadable, no regular file), file_size (more than `max_bytes`).
  static absl::StatusOr<InputFile> Open(const std::string& path, uint64_t max_bytes);
  // The same for a file that is open already; the descriptor stays the caller's.
  static absl::StatusOr<InputFile> OfDescriptor(int fd, uint64_t max_bytes);

  // `out` from `offset` on. Error file_read: also where the file ends before, as one that has become shorter.
  absl::Status ReadAt(uint64_t offset, std::span<uint8_t> out) const;

  const std::string& path() const { return path_; }  // for messages
  int fd() const { return descriptor_.get(); }
  uint64_t size() const { return size_; }  // bytes, when it was opened

 private:
  static absl::StatusOr<InputFile> Checked(std::string path, internal::Descriptor descriptor,
                                           uint64_t max_bytes);
  InputFile(std::string path, internal::Descriptor descriptor, uint64_t size)
      : path_(std::move(path)), descriptor_(std::move(descriptor)), size_(size) {}

  std::string path_;
  internal::Descriptor descriptor_;
  uint64_t size_;
};

// "cannot read <path>: <reason>".
absl::Status ReadError(Label label, const std::string& path, std::string_view reason);

// Error file_size.
absl::Status TooLarge(const std::string& path, uint64_t max_bytes);

}  // namespace tally
