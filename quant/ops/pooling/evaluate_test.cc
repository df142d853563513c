// The operators of family pooling, by hand-computed values: what they accept and what they give.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "quant/graph/testing/evaluate_op.h"

namespace tally::quant {
namespace {

FloatTensor Counting(const Shape& shape) {
  FloatTensor tensor{shape, {}};
  for (int64_t i = 0; i < NumElements(shape); ++i)
    tensor.data.push_back(static_cast<float>((i * 7) % 13 - 6));
  return tensor;
}

// Every window gathered into a list, from the formula.
std::vector<std::vector<float>> Windows(const FloatTensor& x, Extents kernel, Extents stride, Pads pad) {
  std::vector<std::vector<float>> windows;
  const int64_t height = x.shape[2], width = x.shape[3];
  for (int64_t plane = 0; plane < x.shape[0] * x.shape[1]; ++plane)
    for (int64_t top = -pad.top; top + kernel.y <= height + pad.bottom; top += stride.y)
      for (int64_t left = -pad.left; left + kernel.x <= width + pad.right; left += stride.x) {
        std::vector<float> window;
        for (int64_t y = top; y < top + kernel.y; ++y)
          for (int64_t xx = left; xx < left + kernel.x; ++xx) {
            if (y >= 0 && y < height && xx >= 0 && xx < width) {
              window.push_back(x.data[(plane * height + y) * width + xx]);
            }
          }
        windows.push_back(window);
      }
  return windows;
}

TEST(EvaluatePooling, EqualsItsDefinition) {
  const FloatTensor x = Counting({2, 3, 7, 5});
  for (const Extents kernel : {Extents{1, 1}, Extents{2, 3}, Extents{3, 2}}) {
    for (const Extents stride : {Extents{1, 1}, Extents{2, 3}}) {
      for (const Pads pad : {Pads{0, 0, 0, 0}, Pads{kernel.y - 1, 0, 0, kernel.x - 1},
                             Pads{0, kernel.x - 1, kernel.y - 1, 0}}) {
        std::vector<float> largest, average, average_with_pad;
        for (const std::vector<float>& window : Windows(x, kernel, stride, pad)) {
          double sum = 0;
          for (const float element : window) sum += element;
          largest.push_back(*std::max_element(window.begin(), window.end()));
          average.push_back(static_cast<float>(sum / static_cast<double>(window.size())));
          average_with_pad.push_back(static_cast<float>(sum / static_cast<double>(kernel.y * kernel.x)));
        }
        EXPECT_EQ(EvaluateFloatOp(MaxPool{kernel, stride, pad}, {x}), largest);
        EXPECT_EQ(EvaluateFloatOp(AveragePool{kernel, stride, pad, false}, {x}), average);
        EXPECT_EQ(EvaluateFloatOp(AveragePool{kernel, stride, pad, true}, {x}), average_with_pad);
      }
    }
  }
}

TEST(EvaluatePooling, PadsNeverWinAgainstNegativeInputs) {
  EXPECT_EQ(
      EvaluateFloatOp(MaxPool{{2, 2}, {2, 2}, {1, 1, 1, 1}}, {FloatTensor{{1, 1, 2, 2}, {-4, -3, -2, -1}}}),
      (std::vector<float>{-4, -3, -2, -1}));
}

TEST(EvaluatePooling, GlobalAverage) {
  EXPECT_EQ(EvaluateFloatOp(GlobalAveragePool{}, {FloatTensor{{1, 2, 2, 2}, {1, 2, 3, 6, -1, -1, -1, -2}}}),
            (std::vector<float>{3, -1.25f}));
}

}  // namespace
}  // namespace tally::quant
