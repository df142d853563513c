#include "ops/cpu/gemm/gemm_plan.h"

#include <gtest/gtest.h>

#include <vector>

namespace tally {
namespace {

bool IsInPlace(const ConvolutionShape& shape) {
  return PlanConvolution(shape, AllMicroKernels().back(), false, true).in_place;
}

// Each shape reads as many pixels as x has, but not those of x one after the other.
TEST(GemmPlan, ReadsXInPlaceOnlyWhereNothingMoves) {
  const ConvolutionShape dense = {.channels = 4, .out_channels = 8, .size = {1, 1, 5}, .out = {1, 1, 5}};
  ASSERT_TRUE(IsInPlace(dense));

  ConvolutionShape strided = dense;
  strided.stride[2] = 2, strided.out[2] = 3;
  EXPECT_FALSE(IsInPlace(strided));

  ConvolutionShape shifted = dense;
  shifted.pad_begin[2] = 1;
  EXPECT_FALSE(IsInPlace(shifted));

  ConvolutionShape stretched = dense;  // a transposed convolution with a stride, cut to the size of x
  stretched.input_dilation[2] = 2;
  EXPECT_FALSE(IsInPlace(stretched));

  ConvolutionShape grouped = dense;
  grouped.groups = 2;
  EXPECT_FALSE(IsInPlace(grouped));

  ConvolutionShape cut = dense;
  cut.out[2] = 4;
  EXPECT_FALSE(IsInPlace(cut));
}

// 7 x 7 pixels in lines of 9 with their padding: tiles of 14 rows have 49 results in 5 tiles, or in 4.
TEST(GemmPlan, GivesShortLinesAPhaseForEachColumnOfTheKernel) {
  MicroKernel kernel = AllMicroKernels().back();
  kernel.tile_rows = 14;
  ConvolutionShape s = {.channels = 8, .out_channels = 128, .size = {1, 7, 7}, .kernel = {1, 3, 3}};
  s.pad_begin = {0, 1, 1}, s.out = {1, 7, 7};
  const ConvolutionPlan short_lines = PlanConvolution(s, kernel, false, false);
  EXPECT_EQ(short_lines.image.phases.size(), 3);
  EXPECT_EQ(short_lines.image.size[2], 7);
  EXPECT_EQ(short_lines.plan.tiles.size(), 4);
  EXPECT_EQ(short_lines.plan.segments.size(), 9);

  s.out_channels = 64;  // packing would take longer than what it saves
  EXPECT_EQ(PlanConvolution(s, kernel, false, false).plan.tiles.size(), 5);
  s.out_channels = 128, s.size[2] = s.out[2] = 14;  // a tile for each line
  EXPECT_EQ(PlanConvolution(s, kernel, false, false).image.phases.size(), 1);
}

TEST(GemmPlan, LeavesNoTileOfOneOrTwoRows) {
  MicroKernel kernel = AllMicroKernels().back();
  kernel.tile_rows = 14;
  kernel.flags = CpuFlags().With(CpuFlag::kAvx512Vnni);
  const auto tiles_of = [&](int64_t rows) {
    std::vector<int64_t> tiles;
    const GemmPlan plan = PlanMatrix(rows, 4, 10, kernel);
    for (const MTile& tile : plan.tiles) tiles.push_back(tile.rows);
    for (int64_t row = 0, at = 0; row < rows; ++row, ++at) {
      while (plan.rows[at] < 0) ++at;
      EXPECT_EQ(plan.rows[at], 10 * row);
    }
    return tiles;
  };
  EXPECT_EQ(tiles_of(2), std::vector<int64_t>{2});
  EXPECT_EQ(tiles_of(14), std::vector<int64_t>{14});
  EXPECT_EQ(tiles_of(15), (std::vector<int64_t>{8, 7}));
  EXPECT_EQ(tiles_of(30), (std::vector<int64_t>{14, 8, 8}));
  EXPECT_EQ(tiles_of(31), (std::vector<int64_t>{14, 14, 3}));
  kernel.flags = CpuFlags();
  EXPECT_EQ(tiles_of(30), (std::vector<int64_t>{14, 14, 2}));
}

}  // namespace
}  // namespace tally
