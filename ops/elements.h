// The loop of references over the elements of their first result, with coordinates.
#pragma once

#include "ops/indexing.h"
#include "ops/reference.h"

namespace tally {

// f(i, coordinates of element i) for each wanted element of the first result, in row-major order.
template <typename Int, typename F>
void ForEachElement(const ReferenceContext<Int>& c, const F& f) {
  const Shape& shape = c.results[0].shape();
  if (c.wanted == nullptr) return ForEachIndex(shape, f);
  for (const int64_t i : c.elements()) f(i, Unflatten(i, shape));
}

}  // namespace tally
