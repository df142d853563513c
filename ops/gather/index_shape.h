// Where indices point: what all gathers and all scatters share, their rules and their references.
//
//   ResolveIndex(Int(-1), 5);  // 4: counted from the back
//   ResolveIndex(Int(-9), 5);  // -4, which is outside: a gather clamps it, a scatter drops the update
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/shape.h"
#include "ops/indexing.h"

namespace tally::gather {

// `index` counted from the front of an axis of n elements; outside [0, n) when the index is.
template <typename Int>
Int ResolveIndex(const Int& index, int64_t n) {
  return index < Int(0) ? Int(index + Int(n)) : index;
}

// `value`, or the nearest of 0 and `greatest`.
template <typename Int>
int64_t Clamped(const Int& value, int64_t greatest) {
  if (value < Int(0)) return 0;
  return value > Int(greatest) ? greatest : static_cast<int64_t>(value);
}

template <typename Int>
int64_t ClampedIndex(const Int& index, int64_t n) {
  return Clamped(ResolveIndex(index, n), n - 1);
}

template <typename Int>
std::optional<int64_t> IndexInside(const Int& index, int64_t n) {
  const Int position = ResolveIndex(index, n);
  if (position < Int(0) || position >= Int(n)) return std::nullopt;
  return static_cast<int64_t>(position);
}

// Updates in row-major order, each with the first of `inner` consecutive elements of x that it changes, or
// with nothing when an index is outside. `index` reads an element of the indices, as int64_t or Int.

// scatter: x seen as [outer, n, inner], indices flattened.
template <typename IndexAt, typename Visit>
void ForEachScatter(const Shape& x, int axis, int64_t num_indices, const IndexAt& index, const Visit& visit) {
  const int64_t n = x[axis], inner = x.stride(axis);
  const int64_t outer = x.num_elements() / (n * inner);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t j = 0; j < num_indices; ++j) {
      const auto position = IndexInside(index(j), n);
      visit(position ? std::optional((o * n + *position) * inner) : std::nullopt, inner);
    }
  }
}

// The first element of x that a tuple of `depth` indices, a row of them, points to.
template <typename IndexAt>
std::optional<int64_t> StartOfTuple(const Shape& x, int depth, int64_t row, const IndexAt& index) {
  std::optional<int64_t> start = 0;
  for (int k = 0; k < depth; ++k) {
    const auto position = IndexInside(index(row * depth + k), x[k]);
    start = start && position ? std::optional(*start + *position * x.stride(k)) : std::nullopt;
  }
  return start;
}

// scatter_nd: each row of `depth` indices points into the leading axes of x.
template <typename IndexAt, typename Visit>
void ForEachScatterNd(const Shape& x, int depth, int64_t num_rows, const IndexAt& index, const Visit& visit) {
  const int64_t inner = depth == 0 ? x.num_elements() : x.stride(depth - 1);
  for (int64_t row = 0; row < num_rows; ++row) {
    visit(StartOfTuple(x, depth, row, index), inner);
  }
}

// scatter_elements: element d of the indices points along the axis, at x[d] on the other axes.
template <typename IndexAt, typename Visit>
void ForEachScatterElement(const Shape& x, int axis, const Shape& indices, const IndexAt& index,
                           const Visit& visit) {
  const int last = indices.rank() - 1;
  Index d = {};
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    const auto position = IndexInside(index(i), x[axis]);
    Index to = d;
    if (position) to[axis] = *position;
    visit(position ? std::optional(Flatten(to, x)) : std::nullopt, int64_t{1});
    int moved = last;
    while (moved > 0 && d[moved] + 1 == indices[moved]) d[moved--] = 0;
    if (moved >= 0) ++d[moved];
  }
}

}  // namespace tally::gather
