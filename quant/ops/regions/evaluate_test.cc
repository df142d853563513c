// The operators of family regions, by hand-computed values: what they accept and what they give.
#include <gtest/gtest.h>

#include <vector>

#include "quant/graph/testing/evaluate_op.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

using Floats = std::vector<float>;

const ValueType kImage = FloatType({2, 8, 5, 6}), kRegions = FloatType({3, 4}), kImages = IntegerType({3});
const Int64Tensor kFirst{{1}, {0}};
constexpr Extents kSize = {2, 2};

TEST(RegionOps, TypesAndTheirRefusals) {
  const std::vector<Op> of_regions = {RoiMaxPool{kSize}, RoiAlign{kSize}, CropResize{kSize}};
  for (const Op& op : of_regions) {
    EXPECT_EQ(InferOp(op, {kImage, kRegions, kImages}), "float32[3, 8, 2, 2]") << OpName(op);
    EXPECT_EQ(InferOp(op, {kImage, kRegions, IntegerType({2})}), "graph_shape") << OpName(op);
    EXPECT_EQ(InferOp(op, {kImage, FloatType({3, 5}), kImages}), "graph_shape") << OpName(op);
    EXPECT_EQ(InferOp(op, {FloatType({2, 8, 5}), kRegions, kImages}), "graph_shape") << OpName(op);
    EXPECT_EQ(InferOp(op, {kImage, kRegions, FloatType({3})}), "graph_element_type") << OpName(op);
  }
  EXPECT_EQ(InferOp(RoiMaxPool{{0, 2}}, {kImage, kRegions, kImages}), "graph_attribute");
  EXPECT_EQ(InferOp(RoiMaxPool{kSize, 0}, {kImage, kRegions, kImages}), "graph_attribute");
  EXPECT_EQ(InferOp(RoiAlign{.size = kSize, .sampling_ratio = -1}, {kImage, kRegions, kImages}),
            "graph_attribute");
  EXPECT_EQ(InferOp(PsroiPool{kSize}, {kImage, kRegions, kImages}), "float32[3, 2, 2, 2]");
  EXPECT_EQ(InferOp(PsroiPool{{3, 3}}, {kImage, kRegions, kImages}), "graph_shape");
  EXPECT_EQ(InferOp(PsroiPool{kSize, 1, PsroiMode::kBilinear, {4, 1}}, {kImage, kRegions, kImages}),
            "float32[3, 2, 2, 2]");
  EXPECT_EQ(InferOp(PsroiPool{kSize, 1, PsroiMode::kBilinear, {0, 1}}, {kImage, kRegions, kImages}),
            "graph_attribute");
  const DeformablePsroiPool moved = {kSize};
  EXPECT_EQ(InferOp(moved, {kImage, kRegions, kImages, FloatType({3, 4, 7, 7})}), "float32[3, 2, 2, 2]");
  EXPECT_EQ(InferOp(moved, {kImage, kRegions, kImages, FloatType({3, 6, 7, 7})}), "graph_shape");
  EXPECT_EQ(InferOp(moved, {kImage, kRegions, kImages, IntegerType({3, 4, 7, 7})}), "graph_element_type");
  EXPECT_EQ(InferOp(DeformablePsroiPool{.size = kSize, .offset_scale = 0}, {kImage, kRegions, kImages}),
            "graph_attribute");
  EXPECT_EQ(InferOp(GridSample{}, {kImage, FloatType({2, 7, 9, 2})}), "float32[2, 8, 7, 9]");
  EXPECT_EQ(InferOp(GridSample{}, {kImage, FloatType({1, 7, 9, 2})}), "graph_shape");
  const ValueType weight = FloatType({4, 8, 3, 3}), offset = FloatType({2, 18, 3, 4});
  EXPECT_EQ(InferOp(DeformableConv{}, {kImage, weight, offset}), "float32[2, 4, 3, 4]");
  EXPECT_EQ(InferOp(DeformableConv{}, {kImage, weight, FloatType({2, 9, 3, 4})}), "graph_shape");
  EXPECT_EQ(InferOp(DeformableConv{}, {kImage, weight, offset, FloatType({2, 9, 3, 4})}),
            "float32[2, 4, 3, 4]");
  EXPECT_EQ(InferOp(DeformableConv{.offset_groups = 3}, {kImage, weight, offset}), "graph_attribute");
  EXPECT_EQ(InferOp(DeformableConv{}, {kImage, FloatType({4, 4, 3, 3}), offset}), "graph_shape");
}

TEST(RegionOps, PoolBins) {
  const FloatTensor row{{1, 1, 1, 4}, {1, 2, 3, 4}};
  EXPECT_EQ(EvaluateFloatOp(RoiMaxPool{{1, 2}}, {row, FloatTensor{{1, 4}, {1, 0, 2, 0}}, kFirst}),
            (Floats{2, 3}));
  // Outside the image there is nothing.
  EXPECT_EQ(EvaluateFloatOp(RoiMaxPool{{1, 2}}, {row, FloatTensor{{1, 4}, {3, 0, 8, 0}}, kFirst}),
            (Floats{4, 0}));
  const FloatTensor square{{1, 1, 2, 2}, {0, 8, 16, 24}}, corners{{1, 4}, {0, 0, 2, 2}};
  RoiAlign align = {.size = {1, 1}, .sampling_ratio = 1};
  EXPECT_EQ(EvaluateFloatOp(align, {square, corners, kFirst}), Floats{12});
  align.mode = RoiAlignMode::kMax;
  EXPECT_EQ(EvaluateFloatOp(align, {square, corners, kFirst}), Floats{12});
  align.mode = RoiAlignMode::kMaxTap;
  EXPECT_EQ(EvaluateFloatOp(align, {square, corners, kFirst}), Floats{6});
  const FloatTensor two{{1, 2, 1, 3}, {0, 10, 20, 100, 110, 120}};
  EXPECT_EQ(EvaluateFloatOp(PsroiPool{{1, 2}}, {two, FloatTensor{{1, 4}, {0, 0, 2, 0}}, kFirst}),
            (Floats{5, 115}));
  const FloatTensor line{{1, 1, 1, 4}, {0, 16, 32, 48}}, all{{1, 4}, {0, 0, 3, 0}};
  EXPECT_EQ(EvaluateFloatOp(DeformablePsroiPool{{1, 1}, 1, {1, 2}}, {line, all, kFirst}), Floats{12});
  // Moved by a quarter of the region, one pixel: at 1/2 and 5/2.
  EXPECT_EQ(EvaluateFloatOp(DeformablePsroiPool{{1, 1}, 1, {1, 2}, 0.25f},
                            {line, all, kFirst, FloatTensor{{1, 2, 1, 1}, {1, 0}}}),
            Floats{24});
}

TEST(RegionOps, SampleBetweenPixels) {
  const FloatTensor row{{1, 1, 1, 3}, {0, 10, 20}};
  EXPECT_EQ(EvaluateFloatOp(CropResize{{1, 5}}, {row, FloatTensor{{1, 4}, {0, 0, 0, 2}}, kFirst}),
            (Floats{0, 5, 10, 15, 20}));
  CropResize normalized = {{1, 2}, CropGrid::kUpsample, BoxForm::kCenterSizeWidthFirst, true};
  EXPECT_EQ(EvaluateFloatOp(normalized, {row, FloatTensor{{1, 4}, {0.5f, 0, 1, 0}}, kFirst}),
            (Floats{0, 15}));
  normalized.zero_outside = true;
  EXPECT_EQ(EvaluateFloatOp(normalized, {row, FloatTensor{{1, 4}, {1, 0, 1, 0}}, kFirst}), (Floats{10, 0}));
  const FloatTensor grid{{1, 1, 2, 2}, {0, 0, 1, 0}}, values{{1, 1, 1, 3}, {10, 20, 30}};
  EXPECT_EQ(EvaluateFloatOp(GridSample{}, {values, grid}), (Floats{20, 15}));
  EXPECT_EQ(EvaluateFloatOp(GridSample{.padding = GridPadding::kBorder}, {values, grid}), (Floats{20, 30}));
  EXPECT_EQ(EvaluateFloatOp(GridSample{.align_corners = true}, {values, grid}), (Floats{20, 30}));
  EXPECT_EQ(EvaluateFloatOp(GridSample{GridSampleMode::kNearest}, {values, grid}), (Floats{20, 30}));
}

TEST(RegionOps, TapsOfAConvolutionMove) {
  const FloatTensor x{{1, 1, 1, 3}, {4, 8, 16}}, one{{1, 1, 1, 1}, {1}};
  const FloatTensor offset{{1, 2, 1, 3}, {0, 0, 0, 0.5f, 0, -0.5f}};
  EXPECT_EQ(EvaluateFloatOp(DeformableConv{}, {x, one, offset}), (Floats{6, 8, 12}));
  const FloatTensor outside{{1, 2, 1, 3}, {0, 0, 0, -0.5f, 0, 0.5f}};
  EXPECT_EQ(EvaluateFloatOp(DeformableConv{}, {x, one, outside}), (Floats{2, 8, 8}));
  EXPECT_EQ(EvaluateFloatOp(DeformableConv{.border = DeformableBorder::kZeroSamples}, {x, one, outside}),
            (Floats{0, 8, 16}));
  EXPECT_EQ(EvaluateFloatOp(DeformableConv{}, {x, one, offset, FloatTensor{{1, 1, 1, 3}, {2, 0, 1}}}),
            (Floats{12, 0, 12}));
}

}  // namespace
}  // namespace tally::quant
