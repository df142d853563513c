// Bytes that are in a file, plain or compressed, and are read piece by piece.
//
//   ASSIGN_OR_RETURN(const auto bytes, OpenPlain(path));
//   RETURN_IF_ERROR(bytes->Read(128, piece));
//
// Memory does not grow with the file. Of compressed ones, pieces in ascending order are read once; one that
// is before the last starts again from the beginning.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/io/input_file.h"

namespace tally::cli {

class StoredBytes {
 public:
  virtual ~StoredBytes() = default;
  virtual uint64_t size() const = 0;
  // `out` ends within size(). Errors: file_read (the file changed under its reader), npz_format (damaged).
  virtual absl::Status Read(uint64_t offset, std::span<uint8_t> out) = 0;
};

// A data set may be larger than what is read into memory: up to 4 TiB.
inline constexpr uint64_t kMaxSampleFileBytes = uint64_t{1} << 42;

// `size` bytes of `file` from `first` on.
std::unique_ptr<StoredBytes> PlainBytes(std::shared_ptr<const InputFile> file, uint64_t first, uint64_t size);

// The same compressed by deflate without a header, as in a ZIP file; `size` of them after it.
std::unique_ptr<StoredBytes> DeflatedBytes(std::unique_ptr<StoredBytes> compressed, uint64_t size);

}  // namespace tally::cli
