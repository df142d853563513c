// Which elements of x meet in which element of a reduction, shared by its rules and its references.
//
//   // x is [2, 3, 4], reduced over axis 1
//   const Reduction r = ReduceOver(x, AxisSet{1} << 1);
//   r.kept;   // [2, 1, 4]: one element for each result
//   r.inner;  // [1, 3, 1]: one element for each element that meets in a result
//
// The element of x at (outer, inner) has the sum of both coordinates: on every axis one of the two is 0.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/shape.h"
#include "ops/reduction/attrs.h"

namespace tally {

using AxisSet = uint32_t;  // bit i for axis i

constexpr AxisSet AllAxes(int rank) { return (AxisSet{1} << rank) - 1; }

// The axes that an operator reduces; its attributes must have passed the rule's checks.
inline AxisSet AxesToReduce(const std::vector<int64_t>& axes, int rank) {
  AxisSet set = 0;
  for (const int64_t axis : axes) set |= AxisSet{1} << (axis < 0 ? axis + rank : axis);
  return axes.empty() ? AllAxes(rank) : set;
}
inline AxisSet AxesToReduce(const CvmReduceAttrs& attrs, int rank) {
  const AxisSet listed = AxesToReduce(attrs.axis, rank);
  return attrs.exclude && !attrs.axis.empty() ? AllAxes(rank) & ~listed : listed;
}
inline AxisSet AxesToReduce(const ReduceAttrs& attrs, int rank) { return AxesToReduce(attrs.axes, rank); }
inline AxisSet AxesToReduce(const ArgExtremeAttrs& attrs, int rank) {
  return AxesToReduce(std::vector<int64_t>{attrs.axis}, rank);
}

struct Reduction {
  Shape kept;
  Shape inner;
};

inline Reduction ReduceOver(const Shape& x, AxisSet axes) {
  std::array<int64_t, kMaxRank> kept = {}, inner = {};
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool reduced = (axes >> axis & 1) != 0;
    kept[axis] = reduced ? 1 : x[axis];
    inner[axis] = reduced ? x[axis] : 1;
  }
  // Neither product exceeds that of x.
  const size_t rank = static_cast<size_t>(x.rank());
  return {*Shape::Create(std::span(kept.data(), rank)), *Shape::Create(std::span(inner.data(), rank))};
}

}  // namespace tally
