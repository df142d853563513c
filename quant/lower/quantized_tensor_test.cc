#include "quant/lower/quantized_tensor.h"

#include <gtest/gtest.h>

#include <array>

namespace tally::quant {
namespace {

TEST(QuantizedTensor, RoundsHalvesAwayFromZeroAndClampsToTheType) {
  const TensorType type = {*tally::Shape::Create({2, 3}), {-100, 300}};
  const QuantizedType grid = {.scale = 0.5, .zero_point = 3};
  const tally::Tensor codes = QuantizeTensor(std::array{0.0f, 0.25f, -0.25f, 1e9f, -1e9f, 1.0f}, grid, type);
  EXPECT_EQ(codes.storage(), Storage::kI16);
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 6; ++i) values.push_back(codes.view().at(i));
  EXPECT_EQ(values, (std::vector<int64_t>{3, 4, 2, 300, -100, 5}));
  EXPECT_EQ(DequantizeTensor(codes.view(), grid), (std::vector<double>{0, 0.5, -0.5, 148.5, -51.5, 1}));
}

}  // namespace
}  // namespace tally::quant
