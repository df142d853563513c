// Where the leaves of a tensor are among its bytes. Device code includes this too.
#pragma once

#include <cstdint>

namespace tally {

inline constexpr int64_t kTensorLeafBytes = 1024;

struct LeafLayout {
  int64_t total_bytes = 0;
  // Bytes between the starts of two groups of leaves: a fiber that is cut, or the whole fibers of one leaf.
  int64_t group_bytes = 1;
  int64_t leaves_per_group = 1;

  struct Range {
    int64_t begin, size;  // bytes
  };
  constexpr Range At(int64_t leaf) const {
    const int64_t group = leaf / leaves_per_group * group_bytes;
    const int64_t begin = group + leaf % leaves_per_group * kTensorLeafBytes;
    int64_t end = begin + kTensorLeafBytes;
    if (end > group + group_bytes) end = group + group_bytes;
    if (end > total_bytes) end = total_bytes;
    return {begin, end - begin};
  }
};

}  // namespace tally
