// The elements of a tensor that several axes span, by where they are on the others.
#pragma once

#include <cstdint>
#include <vector>

#include "quant/tensor/broadcast_index.h"
#include "quant/tensor/tensor.h"

namespace tally::quant {

// `shape` with one element on each of `axes`.
inline Shape ShapeOfGroups(Shape shape, const std::vector<int64_t>& axes) {
  for (const int64_t axis : axes) shape[axis] = 1;
  return shape;
}

// The row-major number of each element's group: those that agree on all axes but `axes`.
inline std::vector<int64_t> GroupOfEach(const Shape& shape, const std::vector<int64_t>& axes) {
  return BroadcastIndex(ShapeOfGroups(shape, axes), shape);
}

inline int64_t GroupSize(const Shape& shape, const std::vector<int64_t>& axes) {
  return NumElements(shape) / NumElements(ShapeOfGroups(shape, axes));
}

}  // namespace tally::quant
