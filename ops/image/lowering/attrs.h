// Attributes of the lowerings of the image family that are no operators.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/shape.h"
#include "ops/image/attrs.h"

namespace tally {

enum class ResizeMode : uint8_t { kNearest, kLinear, kCubic, kArea };
inline constexpr std::array<std::string_view, 4> kResizeModeNames = {"nearest", "linear", "cubic", "area"};

// Where on the input axis point o of the output axis is (ops/image/lowerings.md).
enum class Coordinates : uint8_t {
  kHalfPixel,
  kHalfPixelSymmetric,
  kPytorchHalfPixel,
  kAlignCorners,
  kAsymmetric,
  kTfHalfPixelForNn,
  kTfCropAndResize,
  kAlignEndpoints,
  kRoiAlign
};
inline constexpr std::array<std::string_view, 9> kCoordinatesNames = {
    "half_pixel",           "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
    "tf_half_pixel_for_nn", "tf_crop_and_resize",   "align_endpoints",    "roi_align"};

// How a position becomes a pixel in mode nearest.
enum class Nearest : uint8_t { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil };
inline constexpr std::array<std::string_view, 4> kNearestNames = {"round_prefer_floor", "round_prefer_ceil",
                                                                  "floor", "ceil"};

struct ResizeAttrs {
  std::vector<int64_t> axes = {0};
  std::vector<int64_t> sizes = {1};  // the result's, one for each axis
  // Numerator and denominator for each axis; none: output size / input size.
  std::vector<int64_t> scales = {};
  std::vector<int64_t> regions = {};  // tf_crop_and_resize: start and end for each axis, over region_unit
  int64_t region_unit = 1;
  ResizeMode mode = ResizeMode::kNearest;
  Coordinates coordinates = Coordinates::kHalfPixel;
  Nearest nearest = Nearest::kRoundPreferFloor;
  bool antialias = false;        // stretch the kernel where the axis shrinks
  bool exclude_outside = false;  // taps outside weigh nothing; otherwise they read the border
  int64_t cubic_numerator = -3;  // Keys' coefficient
  int64_t cubic_denominator = 4;
  int64_t weight_bits = 0;    // weights sum to 2^weight_bits; 0 stands for 11, or 14 in mode cubic
  bool exact = false;         // weights are exact fractions instead, of one denominator for each axis
  int64_t extrapolation = 0;  // the value of a point outside, under tf_crop_and_resize

  static constexpr auto Fields() {
    using A = ResizeAttrs;
    constexpr int64_t kLargest = (int64_t{1} << 31) - 1;
    return std::tuple(ListField("axes", &A::axes, -kMaxRank, kMaxRank - 1, 1, kMaxRank),
                      ListField("sizes", &A::sizes, 1, kMaxDim, 1, kMaxRank),
                      ListField("scales", &A::scales, 1, kLargest, 0, 2 * kMaxRank),
                      ListField("regions", &A::regions, -kLargest, kLargest, 0, 2 * kMaxRank),
                      IntField("region_unit", &A::region_unit, 1, kLargest),
                      EnumField("mode", &A::mode, kResizeModeNames),
                      EnumField("coordinates", &A::coordinates, kCoordinatesNames),
                      EnumField("nearest", &A::nearest, kNearestNames), BoolField("antialias", &A::antialias),
                      BoolField("exclude_outside", &A::exclude_outside),
                      IntField("cubic_numerator", &A::cubic_numerator, -kLargest, kLargest),
                      IntField("cubic_denominator", &A::cubic_denominator, 1, kLargest),
                      IntField("weight_bits", &A::weight_bits, 0, 30), BoolField("exact", &A::exact),
                      IntField("extrapolation", &A::extrapolation, -kLargest, kLargest));
  }
};

struct UpsampleAttrs {
  std::vector<int64_t> scale = {1, 1};  // for the last two axes

  static constexpr auto Fields() {
    return std::tuple(ListField("scale", &UpsampleAttrs::scale, 1, 4096, 2, 2));
  }
};

// Core ML's linear upsample modes, in its order.
enum class UpsampleGrid : uint8_t { kDefault, kAlignCornersTrue, kAlignCornersFalse };
inline constexpr std::array<std::string_view, 3> kUpsampleGridNames = {"default", "align_corners_true",
                                                                       "align_corners_false"};

struct UpsampleBilinearAttrs {
  std::vector<int64_t> scale = {1, 1};
  UpsampleGrid grid = UpsampleGrid::kDefault;

  static constexpr auto Fields() {
    return std::tuple(ListField("scale", &UpsampleBilinearAttrs::scale, 1, 4096, 2, 2),
                      EnumField("grid", &UpsampleBilinearAttrs::grid, kUpsampleGridNames));
  }
};

struct TosaResizeAttrs {
  std::vector<int64_t> scale = {1, 1, 1, 1};  // numerator and denominator of H, then of W
  std::vector<int64_t> offset = {0, 0};
  std::vector<int64_t> border = {0, 0};
  bool bilinear = false;

  static constexpr auto Fields() {
    return std::tuple(ListField("scale", &TosaResizeAttrs::scale, 1, 65536, 4, 4),
                      ListField("offset", &TosaResizeAttrs::offset, -65536, 65536, 2, 2),
                      ListField("border", &TosaResizeAttrs::border, -65536, 65536, 2, 2),
                      BoolField("bilinear", &TosaResizeAttrs::bilinear));
  }
};

}  // namespace tally
