// The operators of family linear, by hand-computed values: what they accept and what they give.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "quant/graph/testing/evaluate_op.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

// Small integers, so that every sum is exact and equality needs no tolerance.
FloatTensor Integers(const Shape& shape, uint32_t seed) {
  FloatTensor tensor{shape, {}};
  for (int64_t i = 0; i < NumElements(shape); ++i) {
    seed = seed * 1664525u + 1013904223u;
    tensor.data.push_back(static_cast<float>(static_cast<int>(seed >> 24) - 128));
  }
  return tensor;
}

float At(const FloatTensor& t, int64_t a, int64_t b, int64_t c, int64_t d) {
  return t.data[((a * t.shape[1] + b) * t.shape[2] + c) * t.shape[3] + d];
}

std::vector<float> Definition(const Conv& op, const FloatTensor& x, const FloatTensor& w,
                              const FloatTensor* bias, const Shape& shape) {
  std::vector<float> y;
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t oc = 0; oc < shape[1]; ++oc)
      for (int64_t oy = 0; oy < shape[2]; ++oy)
        for (int64_t ox = 0; ox < shape[3]; ++ox) {
          double sum = bias == nullptr ? 0 : bias->data[oc];
          for (int64_t ic = 0; ic < w.shape[1]; ++ic)
            for (int64_t ky = 0; ky < w.shape[2]; ++ky)
              for (int64_t kx = 0; kx < w.shape[3]; ++kx) {
                const int64_t iy = oy * op.stride.y + ky * op.dilation.y - op.pad.top;
                const int64_t ix = ox * op.stride.x + kx * op.dilation.x - op.pad.left;
                if (iy < 0 || ix < 0 || iy >= x.shape[2] || ix >= x.shape[3]) continue;
                const int64_t group = oc / (shape[1] / op.groups);
                sum += At(x, n, group * w.shape[1] + ic, iy, ix) * At(w, oc, ic, ky, kx);
              }
          y.push_back(static_cast<float>(sum));
        }
  return y;
}

void ExpectDefinition(const Conv& op, const Shape& x_shape, const Shape& weight_shape, bool has_bias) {
  const Tensor x = Integers(x_shape, 1), weight = Integers(weight_shape, 2),
               bias = Integers({weight_shape[0]}, 3);
  std::vector<Tensor> operands = {x, weight};
  if (has_bias) operands.push_back(bias);
  const FloatTensor y = std::get<FloatTensor>(EvaluateOp(op, operands));
  EXPECT_EQ(y.data, Definition(op, std::get<FloatTensor>(x), std::get<FloatTensor>(weight),
                               has_bias ? &std::get<FloatTensor>(bias) : nullptr, y.shape));
}

TEST(EvaluateConv2d, EqualsItsDefinition) {
  for (const int64_t stride : {1, 2, 3}) {
    for (const int64_t dilation : {1, 2}) {
      for (const Pads& pad : {Pads{}, Pads{1, 1, 1, 1}, Pads{0, 2, 3, 1}, Pads{7, 6, 5, 8}}) {
        ExpectDefinition({{stride, 1}, {dilation, 1}, pad, 1}, {2, 3, 7, 6}, {4, 3, 3, 2}, true);
        ExpectDefinition({{1, stride}, {1, dilation}, pad, 2}, {1, 4, 5, 8}, {6, 2, 2, 3}, false);
      }
    }
  }
}

TEST(EvaluateConv2d, DepthwiseAndPointwise) {
  ExpectDefinition({{1, 1}, {1, 1}, {1, 1, 1, 1}, 5}, {1, 5, 6, 6}, {5, 1, 3, 3}, true);
  ExpectDefinition({{1, 1}, {1, 1}, {}, 5}, {1, 5, 6, 6}, {10, 1, 3, 3}, false);
  ExpectDefinition({}, {3, 5, 4, 4}, {2, 5, 1, 1}, true);
}

TEST(EvaluateConv2d, KernelsThatMostlyMissTheInput) {
  ExpectDefinition({{1, 1}, {1, 9}, {0, 9, 0, 9}, 1}, {1, 1, 1, 2}, {1, 1, 1, 3}, true);
  ExpectDefinition({{4, 4}, {1, 1}, {5, 5, 5, 5}, 1}, {1, 2, 1, 1}, {2, 2, 2, 2}, true);
}

TEST(Evaluate, DenseMultipliesByTheTranspose) {
  const FloatTensor x = F({2, 3}, {1, 2, 3, -1, 0, 1});
  const FloatTensor weight = F({2, 3}, {1, 0, -1, 2, 2, 2});
  EXPECT_EQ(EvaluateOp(Dense{}, {x, weight}), Tensor(F({2, 2}, {-2, 12, -2, 0})));
  EXPECT_EQ(EvaluateOp(Dense{}, {x, weight, F({2}, {10, 20})}), Tensor(F({2, 2}, {8, 32, 8, 20})));
}

TEST(Evaluate, MatMulBroadcastsBatches) {
  EXPECT_EQ(EvaluateOp(MatMul{0.5f}, {F({1, 2}, {1, 2}), F({2, 1}, {5, 6})}), Tensor(F({1, 1}, {8.5f})));
  EXPECT_EQ(EvaluateOp(MatMul{}, {F({2, 2}, {1, 2, 3, 4}), F({2, 1}, {5, 6})}), Tensor(F({2, 1}, {17, 39})));
  const FloatTensor a = F({2, 1, 1, 2}, {1, 2, 3, 4});
  const FloatTensor b = F({3, 2, 1}, {1, 0, 0, 1, 1, 1});
  EXPECT_EQ(EvaluateOp(MatMul{}, {a, b}), Tensor(F({2, 3, 1, 1}, {1, 2, 3, 3, 4, 7})));
}

TEST(Evaluate, SumsKeepWhatFloatWouldLose) {
  // 2^24 + 1 + 1 - 2^24 is 0 in float32 arithmetic.
  const FloatTensor x = F({1, 4}, {16777216, 1, 1, -16777216});
  EXPECT_EQ(EvaluateOp(Dense{}, {x, F({1, 4}, {1, 1, 1, 1})}), Tensor(F({1, 1}, {2})));
  EXPECT_EQ(EvaluateOp(MatMul{}, {x, F({4, 1}, {1, 1, 1, 1})}), Tensor(F({1, 1}, {2})));
}

using Floats = std::vector<float>;

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

}  // namespace
}  // namespace tally::quant
