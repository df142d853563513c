// Laws of CVM models: an import never crashes, and what it accepts is a module like any other.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"

namespace tally {

// OK when the files are refused with a label, or import as a module that exporting and importing again gives
// back.
absl::Status CheckCvmImport(std::string_view graph, std::span<const uint8_t> params);

}  // namespace tally
