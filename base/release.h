// Which release this is.
#pragma once

namespace tally {

inline constexpr char kVersion[] = "0.9.0";  // the newest heading of CHANGELOG.md

}  // namespace tally
