// Boxes and how much two of them overlap, exactly: every comparison of a ratio is one of products. For
// devices too.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace tally::detection {

// Per axis, where a box begins and where it ends.
template <typename Int>
struct Box {
  std::array<Int, 2> lo, hi;
};

// The box between two corners; unless they are `ordered` they are any two opposite ones.
template <typename Int>
constexpr Box<Int> BoxOfCorners(const std::array<Int, 4>& e, bool ordered) {
  Box<Int> box = {};
  for (size_t axis = 0; axis < 2; ++axis) {
    const Int &first = e[axis], &second = e[axis + 2];
    const bool flipped = !ordered && second < first;
    box.lo[axis] = flipped ? second : first;
    box.hi[axis] = flipped ? first : second;
  }
  return box;
}

// The box of a center and sides, doubled so that half a side is an integer.
template <typename Int>
constexpr Box<Int> DoubledBoxOfCenter(const std::array<Int, 4>& e) {
  Box<Int> box = {};
  for (size_t axis = 0; axis < 2; ++axis) {
    box.lo[axis] = Int(Int(e[axis] + e[axis]) - e[axis + 2]);
    box.hi[axis] = Int(Int(e[axis] + e[axis]) + e[axis + 2]);
  }
  return box;
}

// The area of a box whose sides are `offset` longer; 0 unless both are positive.
template <typename Int>
constexpr Int AreaOf(const Box<Int>& box, const Int& offset) {
  const Int width = Int(Int(box.hi[0] - box.lo[0]) + offset);
  const Int height = Int(Int(box.hi[1] - box.lo[1]) + offset);
  return width <= 0 || height <= 0 ? Int(0) : Int(width * height);
}

template <typename Int>
struct Overlap {
  Int both;    // the area that both boxes cover
  Int either;  // the area that at least one covers; at least `both`
};

template <typename Int>
constexpr Overlap<Int> OverlapOf(const Box<Int>& p, const Box<Int>& q, const Int& offset) {
  Box<Int> common = {};
  for (size_t axis = 0; axis < 2; ++axis) {
    common.lo[axis] = std::max(p.lo[axis], q.lo[axis]);
    common.hi[axis] = std::min(p.hi[axis], q.hi[axis]);
  }
  const Int both = AreaOf(common, offset);
  return {both, Int(Int(AreaOf(p, offset) + AreaOf(q, offset)) - both)};
}

// Whether both / either exceeds numerator / denominator, or is equal to it where `or_equal` says so. Boxes
// that share nothing have no ratio above any threshold.
template <typename Int>
constexpr bool Suppresses(const Overlap<Int>& overlap, const Int& numerator, const Int& denominator,
                          bool or_equal) {
  if (overlap.both == 0) return false;
  const Int ratio = Int(overlap.both * denominator), threshold = Int(overlap.either * numerator);
  return or_equal ? ratio >= threshold : ratio > threshold;
}

}  // namespace tally::detection
