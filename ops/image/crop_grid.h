// Where a box of crop_resize is and where it is sampled: Core ML's grids of N points on an interval of
// length X - 1, in exact rationals.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/common/bilinear.h"
#include "ops/image/modes.h"

namespace tally::image {

// Units of a pixel in which a box has integral ends: half a unit of the boxes, because a centre is between
// ends.
constexpr int64_t CropUnit(int64_t fraction) { return int64_t{2} << fraction; }

// Parts of a unit in which each of the n points is integral.
constexpr int64_t CropSteps(CropGrid grid, int64_t n) {
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
constexpr Int CropPoint(CropGrid grid, const Int& start, const Int& length, int64_t unit, int64_t i,
                        int64_t n) {
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

// Where an axis of a box starts and how long it is, in CropUnit.
template <typename Int>
struct Span {
  Int start;
  Int length;
};

// The points of axis i (0 for H) of box r, whose numbers count `scale` half units each.
template <typename Int, typename List>
constexpr Span<Int> SpanOf(BoxForm form, const Int& scale, const List& boxes, int64_t r, int i) {
  const bool width_first = form == BoxForm::kCornersWidthFirst || form == BoxForm::kCenterSizeWidthFirst;
  const bool center = form == BoxForm::kCenterSizeHeightFirst || form == BoxForm::kCenterSizeWidthFirst;
  const int64_t at = r * 4 + (width_first ? 1 - i : i);
  const Int a(boxes[at] * scale), b(boxes[at + 2] * scale), two(int64_t{2});
  if (center) return {Int(a * two - b), Int(b * two)};
  return {Int(a * two), Int(Int(b - a) * two)};
}

// Where a point of a box is sampled along H and along W: at the nearest position of the image.
template <typename Int>
struct CropPosition {
  Position<Int> along[2];
  bool outside = false;  // before it was moved
};

// The position of point `point` of box r on images of `dims` pixels.
template <typename Int, typename List>
constexpr CropPosition<Int> CropPositionOf(const CropForm& form, const List& boxes, int64_t r,
                                           const int64_t (&point)[2], const int64_t (&dims)[2]) {
  CropPosition<Int> position;
  const int64_t unit = CropUnit(form.fraction);
  for (int i = 0; i < 2; ++i) {
    const int64_t extent = dims[i] - 1, n = form.size[i];
    const Int scale(Int(form.multiplier) * Int(form.normalized ? extent : 1));
    const Span<Int> span = SpanOf<Int>(form.boxes, scale, boxes, r, i);
    const Int whole(unit * CropSteps(form.grid, n));
    const Int at = CropPoint<Int>(form.grid, span.start, span.length, unit, point[i], n);
    const Int inside = Clamped<Int>(at, Int(int64_t{0}), Int(whole * Int(extent)));
    position.outside = position.outside || inside != at;
    position.along[i] = PositionOf<Int>(inside, whole);
  }
  return position;
}

}  // namespace tally::image
