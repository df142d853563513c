// Conv against a definition written from the formula, one output element at a time.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "quant/graph/testing/evaluate_op.h"

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

}  // namespace
}  // namespace tally::quant
