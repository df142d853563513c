// Debian's absl::string_view is a type of its own; our interfaces say std::string_view and convert here.
#pragma once

#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tally {

inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace tally
