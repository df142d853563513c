// The words of refusals that importers of all formats share: the value found, and those that would be right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/error.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

// The number of an enumeration that the format does not define: "mode is 7; known are 0 (max) and 1 (mean)".
inline absl::Status UnknownValue(std::string_view name, int64_t found, std::string_view known) {
  return MakeError(label::model_malformed,
                   std::string(name) + " is " + std::to_string(found) + "; known are " + std::string(known));
}

}  // namespace tally::frontend
