// The slices of a tensor that a reduction over `axes` sees: elements that agree on every other axis. A row
// below is a slice.
#pragma once

#include <cstdint>

#include "ops/indexing.h"
#include "ops/reduction/reduce_shape.h"

namespace tally {

class ReductionSlices {
 public:
  ReductionSlices(const Shape& x, AxisSet axes) : shape_(x), reduction_(ReduceOver(x, axes)) {}

  int64_t count() const { return reduction_.kept.num_elements(); }
  int64_t length() const { return reduction_.inner.num_elements(); }
  // The row-major position in x of element i of a row.
  int64_t at(int64_t row, int64_t i) const {
    return Flatten(Unflatten(row, reduction_.kept), shape_) + Flatten(Unflatten(i, reduction_.inner), shape_);
  }
  // The row of the element of x at a row-major position.
  int64_t row_of(int64_t at) const {
    Index d = Unflatten(at, shape_);
    for (int axis = 0; axis < shape_.rank(); ++axis) d[axis] %= reduction_.kept[axis];
    return Flatten(d, reduction_.kept);
  }

 private:
  Shape shape_;
  Reduction reduction_;
};

}  // namespace tally
