// The lines of a tensor along one axis.
#pragma once

#include <cstdint>

#include "quant/tensor/tensor.h"

namespace tally::quant {

// A tensor seen as [outer, size, inner] around one axis.
struct AxisView {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;
};

inline AxisView Around(const Shape& shape, int64_t axis) {
  AxisView view;
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
    (i < axis ? view.outer : i == axis ? view.size : view.inner) *= shape[i];
  }
  return view;
}

// Calls visit(index of the first element, line number) for every line along the axis.
template <typename Visit>
void ForEachLine(const AxisView& view, Visit visit) {
  for (int64_t outer = 0; outer < view.outer; ++outer) {
    for (int64_t inner = 0; inner < view.inner; ++inner) {
      visit(outer * view.size * view.inner + inner, outer * view.inner + inner);
    }
  }
}

}  // namespace tally::quant
