// Whole files: written all or nothing.
//
//   RETURN_IF_ERROR(WriteFileAtomically("model.tally", bytes));
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"

namespace tally {

// Replaces the file at `path`, or creates it. The bytes go to a new file in the same folder, reach the disk,
// and take the name in one step: a reader sees the old file or the new one, and a failure leaves no trace.
// Error file_write.
absl::Status WriteFileAtomically(const std::string& path, std::span<const uint8_t> bytes);

}  // namespace tally
