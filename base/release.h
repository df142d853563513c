// Which release this is.
#pragma once

namespace tally {

inline constexpr char kVersion[] = "unreleased";  // the newest heading of CHANGELOG.md

}  // namespace tally
