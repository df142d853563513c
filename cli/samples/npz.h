// The arrays of NumPy's .npz files, which are ZIP files of .npy files, stored or deflated.
//
//   ASSIGN_OR_RETURN(const std::vector<NpzMember> members, ListNpz(file));
//   const std::unique_ptr<StoredBytes> array = Open(file, members[0]);
//
// A file is untrusted: each offset and size is checked against the file before anything is read or allocated.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/io/input_file.h"
#include "cli/samples/stored_bytes.h"

namespace tally::cli {

struct NpzMember {
  std::string name;  // without ".npy"
  bool deflated = false;
  uint64_t first = 0, stored_size = 0, size = 0;  // where in the file, and of the array
};

// Whether the file starts as a ZIP file. Error file_read.
absl::StatusOr<bool> IsNpz(const std::shared_ptr<const InputFile>& file);

// Errors: npz_format (no ZIP file, or one that NumPy does not write: encrypted, of other compression, of more
// than 4,096 members, or with a name twice), file_read.
absl::StatusOr<std::vector<NpzMember>> ListNpz(const std::shared_ptr<const InputFile>& file);

std::unique_ptr<StoredBytes> OpenMember(const std::shared_ptr<const InputFile>& file,
                                        const NpzMember& member);

}  // namespace tally::cli
