// Names what is at a path instead of a regular file.
#pragma once

#include <sys/stat.h>

#include <filesystem>

namespace tally::internal {

// The type in st_mode.
inline std::filesystem::file_type TypeOf(mode_t mode) {
  if (S_ISREG(mode)) return std::filesystem::file_type::regular;
  if (S_ISDIR(mode)) return std::filesystem::file_type::directory;
  if (S_ISFIFO(mode)) return std::filesystem::file_type::fifo;
  if (S_ISCHR(mode) || S_ISBLK(mode)) return std::filesystem::file_type::character;
  return std::filesystem::file_type::unknown;
}

// "it is a folder", for a message; nullptr for a regular file.
inline const char* WhyNotRegular(std::filesystem::file_type type) {
  using enum std::filesystem::file_type;
  switch (type) {
    case regular: return nullptr;
    case directory: return "it is a folder";
    case fifo: return "it is a FIFO";
    case character:
    case block: return "it is a device";
    default: return "it is not a regular file";
  }
}

}  // namespace tally::internal
