// What holds of the importer for any bytes, for tests and fuzzing.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/status.h"

namespace tally::onnx {

// OK when `bytes` import as a graph that passes Verify, or are refused with a label of the importer's; and
// CheckOnnx says the same: what it reports holds what ends the import.
absl::Status CheckImportLaws(std::span<const uint8_t> bytes);

}  // namespace tally::onnx
