// How the image operators choose where they sample, as enumerations that devices know too.
#pragma once

#include <cstdint>

namespace tally {

// How N points of an interval are chosen; Core ML's sampling modes, in its order.
enum class CropGrid : uint8_t { kStrictAlignEndpoints, kAlignEndpoints, kUpsample, kRoiAlign };

// The meaning of a box's four numbers; Core ML's box modes, in its order.
enum class BoxForm : uint8_t {
  kCornersHeightFirst,
  kCornersWidthFirst,
  kCenterSizeHeightFirst,
  kCenterSizeWidthFirst
};

// The meaning of the numbers of crop_resize's boxes, and where it samples them.
struct CropForm {
  CropGrid grid;
  BoxForm boxes;
  bool normalized;     // boxes are in units of H - 1 and W - 1
  int64_t fraction;    // bits of fraction of the boxes
  int64_t multiplier;  // for the boxes, with `fraction` a spatial scale
  int64_t size[2];     // for the result, H and W
};

enum class GridSampleMode : uint8_t { kNearest, kBilinear, kCubic };

// The value of a tap outside x.
enum class GridPadding : uint8_t { kZeros, kBorder, kReflection };

// The meaning of the numbers of grid_sample's grid.
struct GridForm {
  GridSampleMode mode;
  GridPadding padding;
  bool align_corners;  // -1 and 1 are the centres of the border pixels, not their outer edges
  int64_t fraction;    // bits of fraction of the grid
};

}  // namespace tally
