// Lowered modules against the float graph they came from: family regions.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::quant {
namespace {

// Regions have 16 bits; the error is that of 8 bits of the image.
constexpr double kGoodRegions = 33;
constexpr Extents kSize = {3, 2};

// Quarters and a tenth, which no rounding takes to another pixel.
ValueId Quarters(GraphBuilder& b, const std::string& name, const Shape& shape, const Interval& quarters) {
  const ValueId integers = *b.AddInput({name, {ElementType::kInt64, shape}, kGraphInput, quarters});
  const ValueId floats = *b.AddNode(ToFloat{}, {integers}, name + ".floats", "floats");
  const ValueId quarter = *b.AddConstant(name + ".quarter", FloatTensor{{}, {0.25f}});
  const ValueId tenth = *b.AddConstant(name + ".tenth", FloatTensor{{}, {0.1f}});
  const ValueId scaled = *b.AddNode(Mul{}, {floats, quarter}, name + ".scaled", "scaled");
  return *b.AddNode(Add{}, {scaled, tenth}, name + ".moved", "moved");
}

enum class Corners { kAnywhere, kQuarters };

Graph Regions(const Op& op, const Shape& x, Corners corners = Corners::kAnywhere, const Shape& offsets = {}) {
  GraphBuilder b("regions");
  const ValueId image = *b.AddInput("x", x);
  const ValueId regions = corners == Corners::kAnywhere ? *b.AddInput("regions", {6, 4})
                                                        : Quarters(b, "regions", {6, 4}, {-4, 32});
  std::vector<ValueId> operands = {
      image, regions, *b.AddInput({"images", {ElementType::kInt64, {6}}, kGraphInput, Interval{-1, 2}})};
  if (!offsets.empty()) operands.push_back(*b.AddInput("offsets", offsets));
  b.AddOutput(*b.AddNode(op, operands, "y", "the node"));
  return *std::move(b).Build();
}

// Regions of pixels from 0 to 8: on a grid that has their bounds. Images are further from 0 than from each
// other.
const LoweredSamples kInside = {.low = 0, .high = 8};

TEST(LowerRegions, AlignAndCropAsTheDefinition) {
  for (const RoiAlignMode mode : {RoiAlignMode::kAverage, RoiAlignMode::kMax, RoiAlignMode::kMaxTap}) {
    for (const int64_t samples : {0, 2}) {
      for (const bool half : {false, true}) {
        const RoiAlign op = {
            .size = kSize, .scale = 0.75f, .mode = mode, .half_pixel = half, .sampling_ratio = samples};
        EXPECT_GT(Sqnr(Regions(op, {2, 3, 7, 9}), kInside), kGoodRegions)
            << static_cast<int>(mode) << " " << samples << " " << half;
      }
    }
  }
  for (const CropGrid grid : {CropGrid::kStrictAlignEndpoints, CropGrid::kAlignEndpoints, CropGrid::kUpsample,
                              CropGrid::kRoiAlign}) {
    for (const BoxForm boxes : {BoxForm::kCornersHeightFirst, BoxForm::kCornersWidthFirst,
                                BoxForm::kCenterSizeHeightFirst, BoxForm::kCenterSizeWidthFirst}) {
      for (const bool normalized : {false, true}) {
        const CropResize op = {kSize, grid, boxes, normalized, normalized ? 0.125f : 1.0f};
        EXPECT_GT(Sqnr(Regions(op, {2, 3, 7, 9}), kInside), kGoodRegions)
            << static_cast<int>(grid) << " " << static_cast<int>(boxes) << " " << normalized;
      }
    }
  }
}

TEST(LowerRegions, PoolsAsTheDefinition) {
  const auto sqnr = [](const Op& op, const Shape& x, const Shape& offsets = {}) {
    return Sqnr(Regions(op, x, Corners::kQuarters, offsets));
  };
  EXPECT_GT(sqnr(RoiMaxPool{kSize, 0.5f}, {2, 3, 7, 9}), kGoodRegions);
  EXPECT_GT(sqnr(PsroiPool{kSize, 0.75f}, {2, 12, 7, 9}), kGoodRegions);
  EXPECT_GT(sqnr(PsroiPool{kSize, 0.125f, PsroiMode::kBilinear, {2, 3}}, {2, 12, 7, 9}), kGoodRegions);
  EXPECT_GT(sqnr(DeformablePsroiPool{kSize, 0.75f, {2, 2}}, {2, 12, 7, 9}), kGoodRegions);
  EXPECT_GT(sqnr(DeformablePsroiPool{kSize, 0.75f, {2, 2}, 0.01f}, {2, 12, 7, 9}, {6, 4, 5, 5}), 25);
}

// Three of four positions are outside, so most results are small.
TEST(LowerRegions, GridsAsTheDefinition) {
  for (const GridPadding padding : {GridPadding::kZeros, GridPadding::kBorder, GridPadding::kReflection}) {
    for (const bool corners : {false, true}) {
      const GridSample op = {GridSampleMode::kBilinear, padding, corners};
      EXPECT_GT(Sqnr(OneNode(op, {{2, 3, 5, 6}, {2, 4, 7, 2}})), 29) << static_cast<int>(padding) << corners;
    }
  }
}

TEST(LowerRegions, DeformableConvolutionsAsTheDefinition) {
  for (const DeformableBorder border : {DeformableBorder::kZeroPixels, DeformableBorder::kZeroSamples}) {
    for (const bool masked : {false, true}) {
      const DeformableConv op = {.stride = {2, 1},
                                 .dilation = {1, 2},
                                 .pad = {1, 2, 0, 1},
                                 .groups = 2,
                                 .offset_groups = 2,
                                 .border = border};
      GraphBuilder b("deformable");
      const ValueId x = *b.AddInput("x", {2, 4, 6, 7}), w = *b.AddConstant("w", Random({6, 2, 3, 3}, 7));
      std::vector<ValueId> operands = {x, w, Quarters(b, "offset", {2, 2 * 2 * 9, 3, 6}, {-7, 7})};
      if (masked) operands.push_back(*b.AddInput("mask", {2, 2 * 9, 3, 6}));
      b.AddOutput(*b.AddNode(op, operands, "y", "the node"));
      EXPECT_GT(Sqnr(*std::move(b).Build()), kGoodRegions) << static_cast<int>(border) << masked;
    }
  }
}

}  // namespace
}  // namespace tally::quant
