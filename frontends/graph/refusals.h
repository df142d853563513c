// The words of refusals that importers of all formats share: the value found, and those that would be right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/error.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

// The file breaks the rules of its format.
inline absl::Status Malformed(std::string_view what) { return MakeError(label::model_malformed, what); }
// An attribute, or a value of one, that is not imported.
inline absl::Status Unsupported(std::string_view what) {
  return MakeError(label::model_unsupported_attribute, what);
}
// Shapes that do not fit each other.
inline absl::Status BadShape(std::string_view what) { return MakeError(label::model_shape, what); }

// The number of an enumeration that the format does not define: "mode is 7; known are 0 (max) and 1 (mean)".
inline absl::Status UnknownValue(std::string_view name, int64_t found, std::string_view known) {
  return MakeError(label::model_malformed,
                   std::string(name) + " is " + std::to_string(found) + "; known are " + std::string(known));
}

}  // namespace tally::frontend
