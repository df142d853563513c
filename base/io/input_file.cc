#include "base/io/input_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/io/file_calls.h"
#include "base/io/file_kind.h"
#include "base/labels.h"
#include "base/strings.h"

namespace tally {

absl::Status ReadError(Label label, const std::string& path, std::string_view reason) {
  return MakeError(label, absl::StrCat("cannot read ", path, ": ", ToAbsl(reason)));
}

absl::Status TooLarge(const std::string& path, uint64_t max_bytes) {
  return ReadError(label::file_size, path, absl::StrCat("it has more than ", max_bytes, " bytes"));
}

absl::StatusOr<InputFile> InputFile::Open(const std::string& path, uint64_t max_bytes) {
  return Checked(path, internal::Descriptor(OpenToRead(path)), max_bytes);
}

absl::StatusOr<InputFile> InputFile::OfDescriptor(int fd, uint64_t max_bytes) {
  return Checked(absl::StrCat("descriptor ", fd), internal::Descriptor(DuplicateDescriptor(fd)), max_bytes);
}

absl::StatusOr<InputFile> InputFile::Checked(std::string path, internal::Descriptor descriptor,
                                             uint64_t max_bytes) {
  struct stat info = {};
  if (descriptor.get() < 0 || fstat(descriptor.get(), &info) != 0) {
    return ReadError(label::file_open, path, std::strerror(errno));
  }
  if (const char* reason = internal::WhyNotRegular(internal::TypeOf(info.st_mode)); reason != nullptr) {
    return ReadError(label::file_open, path, reason);
  }
  const uint64_t size = static_cast<uint64_t>(info.st_size);
  if (size > max_bytes) return TooLarge(path, max_bytes);
  return InputFile(std::move(path), std::move(descriptor), size);
}

absl::Status InputFile::ReadAt(uint64_t offset, std::span<uint8_t> out) const {
  while (!out.empty()) {
    const ssize_t read = ReadAtOffset(fd(), out.data(), out.size(), offset);
    if (read < 0) return ReadError(label::file_read, path_, std::strerror(errno));
    if (read == 0) return ReadError(label::file_read, path_, "the file has become shorter");
    out = out.subspan(static_cast<size_t>(read));
    offset += static_cast<uint64_t>(read);
  }
  return absl::OkStatus();
}

}  // namespace tally
