// Regions of interest: rows [x1, y1, x2, y2] of fixed-point numbers, and where their bins and samples are.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/int_math.h"
#include "base/rescale.h"
#include "ops/common/bilinear.h"

namespace tally::pooling {

// The ends of region r along axis i (0 for H), as the operand has them.
template <typename Int>
struct RoiEnds {
  template <typename List>  // an operand; kernels have its elements
  constexpr RoiEnds(const List& rois, int64_t r, int i)
      : first(rois[r * 4 + 1 - i]), last(rois[r * 4 + 3 - i]) {}
  Int first;
  Int last;
};

// x / 2^shift to the nearest integer, ties away from zero: C's round().
template <typename Int>
constexpr Int NearestAway(const Int& x, int64_t shift) {
  return RoundShift<Int>(Rounding::kHalfAway, x, static_cast<int>(shift), false);
}

// The pixels [first, end) of a bin.
struct Bin {
  int64_t first;
  int64_t end;
  constexpr int64_t size() const { return std::max<int64_t>(end - first, 0); }
};

// Bin p of `bins` of [start, start + length], both over `unit`, of n pixels: every pixel that it touches.
template <typename Int>
constexpr Bin BinOf(const Int& start, const Int& length, int64_t unit, int64_t p, int64_t bins, int64_t n) {
  const Int whole(Int(unit) * Int(bins)), origin(start * Int(bins));
  const Int first = FloorDiv<Int>(Int(origin + length * Int(p)), whole);
  const Int end = CeilDiv<Int>(Int(origin + length * Int(p + 1)), whole);
  return {ClampedIndex<Int>(first, n), ClampedIndex<Int>(end, n)};
}

// The bins of roi_max_pool along axis i: ends are rounded to pixels, and the last pixel belongs to the
// region.
template <typename Int>
constexpr Bin MaxPoolBin(const RoiEnds<Int>& ends, const Int& multiplier, int64_t fraction, int64_t p,
                         int64_t bins, int64_t n) {
  const Int one(int64_t{1});
  const Int first = NearestAway<Int>(Int(ends.first * multiplier), fraction);
  const Int last = NearestAway<Int>(Int(ends.last * multiplier), fraction);
  const Int side(last - first + one);
  return BinOf<Int>(first, side < one ? one : side, 1, p, bins, n);
}

// The bins of psroi_pool's averages: regions are rounded to integers before they are scaled.
template <typename Int>
constexpr Bin AverageBin(const RoiEnds<Int>& ends, const Int& multiplier, int64_t fraction, int64_t shift,
                         int64_t p, int64_t bins, int64_t n) {
  const Int one(int64_t{1}), first = NearestAway<Int>(ends.first, fraction);
  const Int last = NearestAway<Int>(ends.last, fraction);
  const Int side(last - first + one);
  return BinOf<Int>(Int(first * multiplier), Int(side * multiplier), int64_t{1} << shift, p, bins, n);
}

}  // namespace tally::pooling
