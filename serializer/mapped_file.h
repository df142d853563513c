// A file as read-only memory.
//
//   ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
//   ASSIGN_OR_RETURN(const Module module, Decode(file->bytes(), file));
//
// The pages are the file's own: opening reads nothing, and processes that map one model share its memory.
// The price: whoever can write to the file changes what is mapped, under a module that has been validated,
// and shortening it ends the process with SIGBUS. Replace models by WriteFileAtomically, which leaves mapped
// files alone, and keep them where only their owner writes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "base/io/input_file.h"

namespace tally {

// The largest file that is mapped: 4 TiB, four times the constants that a module may have
// (kMaxConstantBytes).
inline constexpr uint64_t kMaxMappedBytes = uint64_t{1} << 42;

class MappedFile {
 public:
  // Errors: file_open (missing, unreadable, no regular file), file_size, file_map.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Open(const std::string& path);
  // `file` may be closed then. Error file_map.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Map(const InputFile& file);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Starts at a page boundary, so that offsets that are aligned in the file are aligned in memory.
  std::span<const uint8_t> bytes() const { return bytes_; }
  // The whole pages among `part` leave memory; whoever reads them again has them from the file.
  static void Forget(std::span<const uint8_t> part);

 private:
  explicit MappedFile(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  std::span<const uint8_t> bytes_;
};

}  // namespace tally
