// A tensor as [outer, n, inner] around one of its axes: a line of n elements for each outer and inner.
#pragma once

#include "base/shape.h"

namespace tally::cuda {

struct LinesAlong {
  int axis;
  int64_t n, inner, lines;

  // `of_attribute`: counted from the back where it is negative.
  LinesAlong(const Shape& x, int64_t of_attribute)
      : axis(static_cast<int>(of_attribute < 0 ? of_attribute + x.rank() : of_attribute)),
        n(x[axis]),
        inner(x.stride(axis)),
        lines(x.num_elements() / n) {}
};

}  // namespace tally::cuda
