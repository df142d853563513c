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

  ConvolutionShape of_three = dense;  // which are packed as four
  of_three.channels = 3;
  EXPECT_FALSE(IsInPlace(of_three));
}

}  // namespace
}  // namespace tally
