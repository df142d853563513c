// Regions of interest as the references see them: rows [x1, y1, x2, y2] of fixed-point numbers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/int_math.h"
#include "base/rescale.h"
#include "ops/image/bilinear.h"
#include "ops/pooling/attrs.h"
#include "ops/reference.h"

namespace tally {

// The ends of region r along axis i (0 for H), as the operand has them.
template <typename Int>
struct RoiEnds {
  RoiEnds(const Operand<Int>& rois, int64_t r, int i)
      : first(rois[r * 4 + 1 - i]), last(rois[r * 4 + 3 - i]) {}
  Int first;
  Int last;
};

// x / 2^shift to the nearest integer, ties away from zero: C's round().
template <typename Int>
Int NearestAway(const Int& x, int64_t shift) {
  return RoundShift<Int>(Rounding::kHalfAway, x, static_cast<int>(shift), false);
}

// The pixels [first, end) of a bin.
struct Bin {
  int64_t first;
  int64_t end;
  int64_t size() const { return std::max<int64_t>(end - first, 0); }
};

// Bin p of `bins` of [start, start + length], both over `unit`, of n pixels: every pixel that it touches.
template <typename Int>
Bin BinOf(const Int& start, const Int& length, int64_t unit, int64_t p, int64_t bins, int64_t n) {
  const Int whole(Int(unit) * Int(bins)), origin(start * Int(bins));
  const Int first = FloorDiv<Int>(Int(origin + length * Int(p)), whole);
  const Int end = CeilDiv<Int>(Int(origin + length * Int(p + 1)), whole);
  return {ClampedIndex<Int>(first, n), ClampedIndex<Int>(end, n)};
}

}  // namespace tally
