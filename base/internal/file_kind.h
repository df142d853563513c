// Names what is at a path instead of a regular file.
#pragma once

#include <sys/stat.h>

namespace tally::internal {

// "it is a folder", for a message; nullptr for a regular file. `mode` is st_mode.
inline const char* WhyNotRegular(mode_t mode) {
  if (S_ISREG(mode)) return nullptr;
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISFIFO(mode)) return "it is a FIFO";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "it is a device";
  return "it is not a regular file";
}

}  // namespace tally::internal
