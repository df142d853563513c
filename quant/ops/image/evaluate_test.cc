// The operators of family image, by hand-computed values: what they accept and what they give.
#include <gtest/gtest.h>

#include <vector>

#include "quant/graph/testing/evaluate_op.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

std::string Infer(const Op& op, const Shape& x) { return InferFloatOp(op, {x}); }

using Floats = std::vector<float>;

TEST(Resize, Types) {
  EXPECT_EQ(Infer(Resize{.size = {6, 7}}, {1, 2, 3, 4}), "float32[1, 2, 6, 7]");
  EXPECT_EQ(Infer(Resize{.size = {6, 7}}, {2, 3, 4}), "graph_shape");
  EXPECT_EQ(Infer(Resize{.size = {0, 7}}, {1, 2, 3, 4}), "graph_attribute");
  EXPECT_EQ(Infer(Resize{.size = {1, (1 << 18) + 1}}, {1, 2, 3, 4}), "graph_attribute");
  EXPECT_EQ(Infer(Resize{.size = {6, 7}, .scales = {2, 1}}, {1, 2, 3, 4}), "graph_attribute");
  EXPECT_EQ(Infer(Resize{.size = {6, 7}, .scales = {2, 1, 0, 1}}, {1, 2, 3, 4}), "graph_attribute");
  EXPECT_EQ(Infer(Resize{.size = {6, 7}, .coordinates = Coordinates::kTfCropAndResize}, {1, 2, 3, 4}),
            "graph_attribute");
}

TEST(Resize, NearestAndLinear) {
  const FloatTensor x{{1, 1, 1, 2}, {0, 8}};
  EXPECT_EQ(EvaluateFloatOp(Resize{.size = {2, 4}}, {x}), (Floats{0, 0, 8, 8, 0, 0, 8, 8}));
  EXPECT_EQ(EvaluateFloatOp(Resize{.size = {1, 4}, .linear = true}, {x}), (Floats{0, 2, 6, 8}));
  EXPECT_EQ(
      EvaluateFloatOp(Resize{.size = {1, 5}, .linear = true, .coordinates = Coordinates::kAlignCorners}, {x}),
      (Floats{0, 2, 4, 6, 8}));
}

TEST(ResizeCubic, TypesAndDefinition) {
  EXPECT_EQ(Infer(ResizeCubic{.size = {6, 7}}, {1, 2, 3, 4}), "float32[1, 2, 6, 7]");
  EXPECT_EQ(Infer(ResizeCubic{.size = {6, 7}}, {2, 3, 4}), "graph_shape");
  EXPECT_EQ(Infer(ResizeCubic{.size = {0, 7}}, {1, 2, 3, 4}), "graph_attribute");
  EXPECT_EQ(Infer(ResizeCubic{.size = {6, 7}, .coefficient = 17}, {1, 2, 3, 4}), "graph_attribute");
  // A point at half weighs its neighbours by a/8 and 1/2 - a/8, here with a = -1/2: -1/16 and 9/16.
  const FloatTensor x{{1, 1, 1, 4}, {16, 0, 32, 64}};
  EXPECT_EQ(EvaluateFloatOp(ResizeCubic{.size = {1, 2}, .coefficient = -0.5}, {x}),
            (Floats{(9.0f * 16 - 16 - 32) / 16, (9.0f * (32 + 64) - 0 - 64) / 16}));
}

}  // namespace
}  // namespace tally::quant
