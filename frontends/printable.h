// Text of a file, fit for a message: everything but printable ASCII is escaped, and long text is cut.
#pragma once

#include <string>
#include <string_view>

#include "absl/strings/escaping.h"

namespace tally {

inline std::string Printable(std::string_view text) {
  constexpr size_t kMaxLength = 120;
  const std::string_view head = text.substr(0, kMaxLength);
  return absl::CHexEscape(absl::string_view(head.data(), head.size())) +
         (text.size() > kMaxLength ? "..." : "");
}

}  // namespace tally
