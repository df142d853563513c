// What the indices of a Gather mean.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tally::quant {

// The places in an axis of `size` elements that `indices` name.
inline std::vector<int64_t> PlacesOf(const std::vector<int64_t>& indices, int64_t size) {
  std::vector<int64_t> places;
  places.reserve(indices.size());
  for (const int64_t index : indices) {
    places.push_back(index < 0 ? std::max(index, -size) + size : std::min(index, size - 1));
  }
  return places;
}

}  // namespace tally::quant
