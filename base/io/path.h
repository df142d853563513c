// Names of files as paths.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tally {

// A name in UTF-8, as all of Tally has them; path::string() gives it back. The constructor of paths takes
// another encoding on Windows.
inline std::filesystem::path PathOf(std::string_view name) {
  return std::filesystem::path(std::u8string(name.begin(), name.end()));
}

}  // namespace tally
