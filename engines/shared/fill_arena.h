// The content of working memory when a run begins. Nothing says so but in tests: there the environment
// variable TALLY_FILL_ARENA names a byte (.bazelrc), so that a part of a result that no step writes is seen
// to be wrong.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace tally {

inline void FillArena(uint8_t* bytes, int64_t size_bytes) {
  static const char* const byte = std::getenv("TALLY_FILL_ARENA");
  if (byte != nullptr && size_bytes > 0) std::memset(bytes, std::atoi(byte), static_cast<size_t>(size_bytes));
}

}  // namespace tally
