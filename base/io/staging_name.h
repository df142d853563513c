// The names of staging folders.
#pragma once

#include <string>
#include <string_view>

#include "base/strings.h"

namespace tally::internal {

inline constexpr std::string_view kStagingPrefix = ".tally-tmp-";
inline constexpr size_t kStagingDigits = 16;

inline std::string StagingName(uint64_t number) {
  return absl::StrCat(ToAbsl(kStagingPrefix), absl::Hex(number, absl::kZeroPad16));
}

inline bool IsStagingName(std::string_view name) {
  return name.size() == kStagingPrefix.size() + kStagingDigits && name.starts_with(kStagingPrefix) &&
         name.find_first_not_of("0123456789abcdef", kStagingPrefix.size()) == std::string_view::npos;
}

}  // namespace tally::internal
