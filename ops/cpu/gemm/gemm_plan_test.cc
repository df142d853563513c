#include "ops/cpu/gemm/gemm_plan.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tally
