// Where crop_resize samples a box: Core ML's grids of N points on an interval of length X - 1, in exact rationals.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/image/attrs.h"

namespace tally {

// Units of a pixel in which a box has integral ends: half a unit of the boxes, because a centre lies between ends.
inline int64_t CropUnit(const CropResizeAttrs& attrs) { return int64_t{2} << attrs.fraction; }

// Parts of a unit in which each of the n points is integral.
inline int64_t CropSteps(CropGrid grid, int64_t n) {
  switch (grid) {
    case CropGrid::kStrictAlignEndpoints: return std::max<int64_t>(n - 1, 1);
    case CropGrid::kAlignEndpoints: return n == 1 ? 2 : n - 1;
    case CropGrid::kUpsample: return n;
    case CropGrid::kRoiAlign: return 2 * n;
  }
  __builtin_unreachable();  // the decoder admits no other grid
}

// Point i of n of [start, start + length], in steps of a unit; one pixel is `unit`.
template <typename Int>
Int CropPoint(CropGrid grid, const Int& start, const Int& length, int64_t unit, int64_t i, int64_t n) {
  const int64_t steps = CropSteps(grid, n);
  const Int first(start * Int(steps)), last(length * Int(steps));
  switch (grid) {
    case CropGrid::kStrictAlignEndpoints: return Int(first + length * Int(i));
    case CropGrid::kAlignEndpoints: return Int(first + length * Int(n == 1 ? 1 : i));
    case CropGrid::kUpsample: {
      const Int point(Int(length + Int(unit)) * Int(i));
      return Int(first + (point < last ? point : last));
    }
    case CropGrid::kRoiAlign: {
      const Int point((length < Int(unit) ? Int(unit) : length) * Int(2 * i + 1));
      return Int(first + (point < last ? point : last));
    }
  }
  __builtin_unreachable();
}

}  // namespace tally
