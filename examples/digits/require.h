// Checks a promise of the example: true, or an error.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "base/error.h"

namespace tally::digits {

inline absl::Status Require(bool kept, Label label, std::string_view what) {
  return kept ? absl::OkStatus() : MakeError(label, what);
}

}  // namespace tally::digits
