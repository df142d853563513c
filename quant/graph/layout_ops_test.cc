// Operators that move elements, resize images or transpose convolutions: what they accept and what they give.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "quant/graph/testing/evaluate_op.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

std::string Infer(const Op& op, const Shape& x) { return InferFloatOp(op, {x}); }

using Floats = std::vector<float>;

TEST(Slice, Types) {
  EXPECT_EQ(Infer(Slice{{1, 0}, {3, 5}, {1, 2}}, {4, 5}), "float32[2, 3]");
  EXPECT_EQ(Infer(Slice{{3, 4}, {-1, 0}, {-2, -3}}, {4, 5}), "float32[2, 2]");
  EXPECT_EQ(Infer(Slice{{}, {}, {}}, {}), "float32[]");
  const ValueType integers = {ElementType::kInt64, {4}};
  EXPECT_EQ(InferOp(Slice{{1}, {2}, {1}}, {integers}), "int64[1]");
  EXPECT_EQ(Infer(Slice{{0}, {1}, {1}}, {4, 5}), "graph_attribute");
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  for (const auto& [begin, end, step] : std::vector<std::array<int64_t, 3>>{{0, 4, 0},
                                                                            {-1, 4, 1},
                                                                            {4, 4, 1},
                                                                            {0, 5, 1},
                                                                            {2, 2, 1},
                                                                            {2, 1, 1},
                                                                            {1, 2, -1},
                                                                            {0, -2, -1},
                                                                            {3, 0, kLeast},
                                                                            {1, -1, 1}}) {
    EXPECT_EQ(Infer(Slice{{begin}, {end}, {step}}, {4}), "graph_attribute")
        << begin << " " << end << " " << step;
  }
}

TEST(Slice, TakesStepsInBothDirections) {
  const FloatTensor x{{2, 4}, {0, 1, 2, 3, 10, 11, 12, 13}};
  EXPECT_EQ(EvaluateFloatOp(Slice{{0, 1}, {2, 4}, {1, 2}}, {x}), (Floats{1, 3, 11, 13}));
  EXPECT_EQ(EvaluateFloatOp(Slice{{1, 3}, {-1, 0}, {-1, -2}}, {x}), (Floats{13, 11, 3, 1}));
}

TEST(Pad, Types) {
  EXPECT_EQ(Infer(Pad{Pad::Mode::kEdge, {1, 0}, {2, 0}}, {4, 5}), "float32[7, 5]");
  EXPECT_EQ(Infer(Pad{Pad::Mode::kZero, {1}, {2}}, {4, 5}), "graph_attribute");
  EXPECT_EQ(Infer(Pad{Pad::Mode::kZero, {-1}, {2}}, {4}), "graph_attribute");
  EXPECT_EQ(Infer(Pad{Pad::Mode::kZero, {1}, {kMaxAttribute + 1}}, {4}), "graph_attribute");
  EXPECT_EQ(Infer(Pad{Pad::Mode::kZero, {kMaxAttribute}, {kMaxAttribute}}, {4}), "graph_size");
  EXPECT_EQ(Infer(PadConstant{2, {1}, {2}}, {4}), "float32[7]");
  EXPECT_EQ(Infer(PadConstant{2, {1, 1}, {2}}, {4}), "graph_attribute");
  EXPECT_EQ(Infer(PadConstant{std::numeric_limits<float>::infinity(), {1}, {2}}, {4}), "graph_attribute");
  const ValueType integers = {ElementType::kInt64, {4}};
  EXPECT_EQ(InferOp(Pad{Pad::Mode::kZero, {1}, {0}}, {integers}), "int64[5]");
  EXPECT_EQ(InferOp(PadConstant{2, {1}, {0}}, {integers}), "graph_element_type");
}

TEST(Pad, ContinuesTheAxis) {
  const FloatTensor x{{3}, {1, 2, 3}};
  EXPECT_EQ(EvaluateFloatOp(Pad{Pad::Mode::kZero, {2}, {1}}, {x}), (Floats{0, 0, 1, 2, 3, 0}));
  EXPECT_EQ(EvaluateFloatOp(Pad{Pad::Mode::kEdge, {2}, {1}}, {x}), (Floats{1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(EvaluateFloatOp(Pad{Pad::Mode::kReflect, {5}, {3}}, {x}),
            (Floats{2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2}));
  EXPECT_EQ(EvaluateFloatOp(Pad{Pad::Mode::kWrap, {2}, {4}}, {x}), (Floats{2, 3, 1, 2, 3, 1, 2, 3, 1}));
  EXPECT_EQ(EvaluateFloatOp(Pad{Pad::Mode::kReflect, {2}, {1}}, {FloatTensor{{1}, {7}}}),
            (Floats{7, 7, 7, 7}));
  EXPECT_EQ(EvaluateFloatOp(PadConstant{9, {1, 0}, {0, 2}}, {FloatTensor{{1, 2}, {1, 2}}}),
            (Floats{9, 9, 9, 9, 1, 2, 9, 9}));
}

TEST(AppendChannel, StandsBehindTheOthersOfEachImage) {
  EXPECT_EQ(Infer(AppendChannel{2}, {2, 3, 4, 5}), "float32[2, 4, 4, 5]");
  EXPECT_EQ(Infer(AppendChannel{2}, {3}), "graph_shape");
  EXPECT_EQ(Infer(AppendChannel{std::numeric_limits<float>::infinity()}, {2, 3}), "graph_attribute");
  EXPECT_EQ(EvaluateFloatOp(AppendChannel{9}, {FloatTensor{{2, 2, 1}, {1, 2, 3, 4}}}),
            (Floats{1, 2, 9, 3, 4, 9}));
}

TEST(Expand, Broadcasts) {
  EXPECT_EQ(Infer(Expand{{2, 2, 3}}, {2, 1}), "float32[2, 2, 3]");
  EXPECT_EQ(Infer(Expand{{2, 1}}, {2, 3}), "graph_shape");
  EXPECT_EQ(Infer(Expand{{3}}, {1, 3}), "graph_shape");
  EXPECT_EQ(Infer(Expand{{4}}, {3}), "graph_shape");
  EXPECT_EQ(Infer(Expand{{0}}, {1}), "graph_dimension");
  EXPECT_EQ(EvaluateFloatOp(Expand{{2, 2, 2}}, {FloatTensor{{2, 1}, {1, 2}}}),
            (Floats{1, 1, 2, 2, 1, 1, 2, 2}));
  EXPECT_EQ(EvaluateFloatOp(Expand{{2}}, {FloatTensor{{}, {3}}}), (Floats{3, 3}));
}

TEST(Tile, RepeatsTheWhole) {
  EXPECT_EQ(Infer(Tile{{2, 3}}, {4, 5}), "float32[8, 15]");
  EXPECT_EQ(Infer(Tile{{2}}, {4, 5}), "graph_attribute");
  EXPECT_EQ(Infer(Tile{{0}}, {4}), "graph_attribute");
  EXPECT_EQ(Infer(Tile{{4097}}, {4}), "graph_attribute");
  EXPECT_EQ(EvaluateFloatOp(Tile{{2, 2}}, {FloatTensor{{1, 2}, {1, 2}}}), (Floats{1, 2, 1, 2, 1, 2, 1, 2}));
}

TEST(Gather, Types) {
  const ValueType x = {ElementType::kFloat32, {4, 5, 6}}, indices = {ElementType::kInt64, {2, 3}};
  EXPECT_EQ(InferOp(Gather{1}, {x, indices}), "float32[4, 2, 3, 6]");
  EXPECT_EQ(InferOp(Gather{0}, {x, {ElementType::kInt64, {}}}), "float32[5, 6]");
  EXPECT_EQ(InferOp(Gather{0}, {indices, indices}), "int64[2, 3, 3]");
  EXPECT_EQ(InferOp(Gather{3}, {x, indices}), "graph_attribute");
  EXPECT_EQ(InferOp(Gather{-1}, {x, indices}), "graph_attribute");
  EXPECT_EQ(InferOp(Gather{0}, {x, x}), "graph_element_type");
  EXPECT_EQ(InferOp(Gather{0}, {{ElementType::kFloat32, {1, 1, 1, 1, 1, 1, 1, 1}}, indices}), "graph_rank");
}

TEST(Gather, CountsFromBothEndsAndStaysInside) {
  const FloatTensor x{{2, 3}, {0, 1, 2, 10, 11, 12}};
  EXPECT_EQ(EvaluateFloatOp(Gather{1}, {x, Int64Tensor{{2}, {2, -3}}}), (Floats{2, 0, 12, 10}));
  EXPECT_EQ(EvaluateFloatOp(Gather{0}, {x, Int64Tensor{{}, {-1}}}), (Floats{10, 11, 12}));
  EXPECT_EQ(EvaluateFloatOp(Gather{1}, {x, Int64Tensor{{2}, {INT64_MAX, INT64_MIN}}}),
            (Floats{2, 0, 12, 10}));
}

std::string InferTransposed(const ConvTranspose& op, const Shape& x, const Shape& weight, const Shape& bias) {
  return InferOp(
      op, {{ElementType::kFloat32, x}, {ElementType::kFloat32, weight}, {ElementType::kFloat32, bias}});
}

TEST(ConvTranspose, Types) {
  const Shape x = {1, 4, 5, 6};
  EXPECT_EQ(InferTransposed({}, x, {4, 3, 3, 3}, {3}), "float32[1, 3, 7, 8]");
  EXPECT_EQ(InferTransposed({{2, 3}, {1, 2}, {1, 0, 0, 2}, {1, 0}, 2}, x, {4, 3, 3, 2}, {6}),
            "float32[1, 6, 11, 16]");
  EXPECT_EQ(InferTransposed({}, {4, 5, 6}, {4, 3, 3, 3}, {3}), "graph_shape");
  EXPECT_EQ(InferTransposed({}, x, {4, 3, 3}, {3}), "graph_shape");
  EXPECT_EQ(InferTransposed({}, x, {3, 3, 3, 3}, {3}), "graph_shape");
  EXPECT_EQ(InferTransposed({}, x, {4, 3, 3, 3}, {4}), "graph_shape");
  EXPECT_EQ(InferTransposed({.pad = {4, 0, 4, 0}}, x, {4, 3, 3, 3}, {3}), "graph_shape");
  EXPECT_EQ(InferTransposed({.groups = 3}, x, {4, 3, 3, 3}, {9}), "graph_attribute");
  EXPECT_EQ(InferTransposed({.groups = 0}, x, {4, 3, 3, 3}, {3}), "graph_attribute");
  EXPECT_EQ(InferTransposed({.stride = {0, 1}}, x, {4, 3, 3, 3}, {3}), "graph_attribute");
  EXPECT_EQ(InferTransposed({.dilation = {1, 0}}, x, {4, 3, 3, 3}, {3}), "graph_attribute");
  EXPECT_EQ(InferTransposed({.output_padding = {-1, 0}}, x, {4, 3, 3, 3}, {3}), "graph_attribute");
  EXPECT_EQ(InferTransposed({.stride = {kMaxAttribute, 1}}, x, {4, 3, 3, 3}, {3}), "graph_size");
}

// The transpose of a convolution: <conv(x), y> = <x, conv_transpose(y)> for every x and y.
TEST(ConvTranspose, IsTheTransposeOfTheConvolution) {
  const Conv conv = {{2, 1}, {1, 2}, {1, 0, 1, 2}, 2};
  const ConvTranspose transposed = {conv.stride, conv.dilation, conv.pad, {0, 0}, conv.groups};
  const auto filled = [](const Shape& shape, int64_t factor) {
    FloatTensor tensor{shape, {}};
    for (int64_t i = 0; i < NumElements(shape); ++i) {
      tensor.data.push_back(static_cast<float>(i * factor % 11 - 5));
    }
    return tensor;
  };
  // [OC, IC / 2, ..], as that of the transpose is [its IC, ..].
  const FloatTensor weight = filled({6, 2, 3, 2}, 7);
  const FloatTensor x = filled({2, 4, 7, 5}, 3), y = filled({2, 6, 4, 5}, 5);
  const Floats forward = EvaluateFloatOp(conv, {x, weight}), back = EvaluateFloatOp(transposed, {y, weight});
  ASSERT_EQ(forward.size(), y.data.size());
  ASSERT_EQ(back.size(), x.data.size());
  double left = 0, right = 0;
  for (size_t i = 0; i < forward.size(); ++i) left += double{forward[i]} * y.data[i];
  for (size_t i = 0; i < back.size(); ++i) right += double{back[i]} * x.data[i];
  EXPECT_EQ(left, right);
}

TEST(ConvTranspose, PlacesThatNoTapReachesHoldTheBias) {
  const FloatTensor x{{1, 1, 1, 2}, {1, 2}}, weight{{1, 1, 1, 1}, {3}}, bias{{1}, {10}};
  EXPECT_EQ(EvaluateFloatOp(ConvTranspose{.stride = {1, 2}, .output_padding = {0, 1}}, {x, weight, bias}),
            (Floats{13, 10, 16, 10}));
}

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
