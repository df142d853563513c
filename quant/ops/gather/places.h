// The meaning of a Gather's indices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tally::quant {

// The place in an axis of `size` elements that `index` names.
inline int64_t PlaceOf(int64_t index, int64_t size) {
  return index < 0 ? std::max(index, -size) + size : std::min(index, size - 1);
}

inline std::vector<int64_t> PlacesOf(const std::vector<int64_t>& indices, int64_t size) {
  std::vector<int64_t> places;
  places.reserve(indices.size());
  for (const int64_t index : indices) places.push_back(PlaceOf(index, size));
  return places;
}

}  // namespace tally::quant
