// Index arithmetic of dense row-major tensors, shared by the references.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "base/shape.h"

namespace tally {

using Index = std::array<int64_t, kMaxRank>;

// Coordinates of element `flat` of `shape`; entries past the rank are 0.
inline Index Unflatten(int64_t flat, const Shape& shape) {
  Index index = {};
  for (int axis = shape.rank() - 1; axis >= 0 && flat > 0; --axis) {
    if (shape[axis] == 1) continue;
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return index;
}

// f(i, coordinates of element i) for each element of `shape`, in row-major order.
template <typename F>
void ForEachIndex(const Shape& shape, const F& f) {
  Index index = {};
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    f(i, std::as_const(index));
    for (int axis = shape.rank() - 1; axis >= 0 && ++index[axis] == shape[axis]; --axis) index[axis] = 0;
  }
}

// Row-major position of `index` in `shape`.
inline int64_t Flatten(const Index& index, const Shape& shape) {
  int64_t flat = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) flat = flat * shape[axis] + index[axis];
  return flat;
}

// The elements of a tensor at indices of another shape, axis i of which goes on by `strides[i]` elements.
struct StridedView {
  int rank = 0;
  Index strides = {};

  // Position of the element at `index`.
  int64_t At(const Index& index) const {
    int64_t flat = 0;
    for (int axis = 0; axis < rank; ++axis) flat += index[axis] * strides[axis];
    return flat;
  }
};

// `from` as numpy broadcasting lays it over `to`: aligned at the right, and the same element along an axis of
// one.
inline StridedView BroadcastView(const Shape& from, const Shape& to) {
  StridedView view = {.rank = to.rank()};
  int64_t stride = 1;
  for (int axis = from.rank() - 1; axis >= 0; --axis) {
    if (from[axis] > 1) view.strides[to.rank() - from.rank() + axis] = stride;
    stride *= from[axis];
  }
  return view;
}

}  // namespace tally
