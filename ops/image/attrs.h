// Attributes of the image family.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/attributes.h"
#include "ops/image/modes.h"

namespace tally {

struct UpsamplingAttrs {
  int64_t scale = 1;

  static constexpr auto Fields() { return std::tuple(IntField("scale", &UpsamplingAttrs::scale, 1, 4096)); }
};

struct ResampleAttrs {
  int64_t axis = 0;

  static constexpr auto Fields() { return std::tuple(IntField("axis", &ResampleAttrs::axis, -8, 7)); }
};

inline constexpr std::array<std::string_view, 4> kCropGridNames = {
    "strict_align_endpoints", "align_endpoints", "upsample", "roi_align"};

inline constexpr std::array<std::string_view, 4> kBoxFormNames = {
    "corners_height_first", "corners_width_first", "center_size_height_first", "center_size_width_first"};

struct CropResizeAttrs {
  std::vector<int64_t> size = {1, 1};  // for the result, H and W
  CropGrid grid = CropGrid::kStrictAlignEndpoints;
  BoxForm boxes = BoxForm::kCornersHeightFirst;
  bool normalized = false;
  int64_t fraction = 0;
  int64_t multiplier = 1;
  bool zero_outside = false;  // a point outside x is 0, not the nearest border
  int64_t result_fraction = 0;

  CropForm form() const { return {grid, boxes, normalized, fraction, multiplier, {size[0], size[1]}}; }

  static constexpr auto Fields() {
    return std::tuple(ListField("size", &CropResizeAttrs::size, 1, 65536, 2, 2),
                      EnumField("grid", &CropResizeAttrs::grid, kCropGridNames),
                      EnumField("boxes", &CropResizeAttrs::boxes, kBoxFormNames),
                      BoolField("normalized", &CropResizeAttrs::normalized),
                      IntField("fraction", &CropResizeAttrs::fraction, 0, 30),
                      IntField("multiplier", &CropResizeAttrs::multiplier, 1, (int64_t{1} << 31) - 1),
                      BoolField("zero_outside", &CropResizeAttrs::zero_outside),
                      IntField("result_fraction", &CropResizeAttrs::result_fraction, 0, 30));
  }
};

inline constexpr std::array<std::string_view, 3> kGridSampleModeNames = {"nearest", "bilinear", "cubic"};

inline constexpr std::array<std::string_view, 3> kGridPaddingNames = {"zeros", "border", "reflection"};

struct GridSampleAttrs {
  GridSampleMode mode = GridSampleMode::kBilinear;
  GridPadding padding = GridPadding::kZeros;
  bool align_corners = false;
  int64_t fraction = 0;
  int64_t result_fraction = 0;

  GridForm form() const { return {mode, padding, align_corners, fraction}; }

  static constexpr auto Fields() {
    return std::tuple(EnumField("mode", &GridSampleAttrs::mode, kGridSampleModeNames),
                      EnumField("padding", &GridSampleAttrs::padding, kGridPaddingNames),
                      BoolField("align_corners", &GridSampleAttrs::align_corners),
                      IntField("fraction", &GridSampleAttrs::fraction, 0, 30),
                      IntField("result_fraction", &GridSampleAttrs::result_fraction, 0, 60));
  }
};

}  // namespace tally
