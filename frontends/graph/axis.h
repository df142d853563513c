// Axes as files count them: from the end, where negative.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

// `axis` in [-rank, rank) as one in [0, rank). Errors: model_malformed.
inline absl::StatusOr<int64_t> NormalizeAxis(int64_t axis, size_t rank) {
  const int64_t end = static_cast<int64_t>(rank);
  if (axis >= -end && axis < end) return axis < 0 ? axis + end : axis;
  return MakeError(label::model_malformed,
                   "axis " + std::to_string(axis) + " is outside rank " + std::to_string(rank));
}

// The place that `index` means on an axis of `size` elements: counted from the back, where negative. Errors:
// model_malformed.
inline absl::StatusOr<int64_t> PlaceOn(int64_t size, int64_t index) {
  if (index >= -size && index < size) return index < 0 ? index + size : index;
  return MakeError(label::model_malformed, "index " + std::to_string(index) + " is outside an axis of " +
                                               std::to_string(size) + " elements");
}

// `NormalizeAxis` of each of `axes`, in ascending order. Errors: model_malformed, also when one occurs twice.
inline absl::StatusOr<std::vector<int64_t>> NormalizeAxes(std::vector<int64_t> axes, size_t rank) {
  for (int64_t& axis : axes) {
    const absl::StatusOr<int64_t> normalized = NormalizeAxis(axis, rank);
    if (!normalized.ok()) return normalized.status();
    axis = *normalized;
  }
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) {
    return MakeError(label::model_malformed, "an axis occurs twice");
  }
  return axes;
}

// `first`, `first` + 1, ..., rank - 1.
inline std::vector<int64_t> AxesFrom(int64_t first, size_t rank) {
  std::vector<int64_t> axes;
  for (int64_t axis = first; axis < static_cast<int64_t>(rank); ++axis) axes.push_back(axis);
  return axes;
}

}  // namespace tally::frontend
