#include "quant/grid/quantized_tensor.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace tally::quant {
namespace {

TEST(QuantizedTensor, RoundsHalvesToEvenAndClampsToTheType) {
  const TensorType type = {*tally::Shape::Create({2, 4}), {-100, 300}};
  const QuantizedType grid = {.scale = 0.5, .zero_point = 3};
  const tally::Tensor codes =
      QuantizeTensor(std::array{0.0f, 0.25f, -0.25f, 1e9f, -1e9f, 1.0f, 0.75f, -0.75f}, grid, type);
  EXPECT_EQ(codes.storage(), Storage::kI16);
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 8; ++i) values.push_back(codes.view().at(i));
  EXPECT_EQ(values, (std::vector<int64_t>{3, 3, 3, 300, -100, 5, 5, 1}));
  EXPECT_EQ(DequantizeTensor(codes.view(), grid), (std::vector<double>{0, 0, 0, 148.5, -51.5, 1, 1, -1}));
}

// The quotient of the numbers counts: 0.3f / 0.2f, say, is above 1.5, and its double may be a tie.
TEST(QuantizedTensor, QuotientsThatAreNearlyTiesAreNone) {
  for (const float scale : {0.1f, 0.3f, 1.0f / 3, 0.7f, 1e-6f}) {
    const QuantizedType grid = {
        .scale = scale, .zero_point = 0, .interval = {-(int64_t{1} << 40), int64_t{1} << 40}};
    for (int64_t k = 0; k < 2000; ++k) {
      const int64_t n = k * k * 977;
      // The exact middle needs up to 24 + 32 bits: a float nearby is above or below it.
      const double middle = (static_cast<double>(n) + 0.5) * double{scale};
      for (const double real : {std::nextafter(middle, 0.0), middle, std::nextafter(middle, 1e30)}) {
        const double rest = std::fma(-(static_cast<double>(n) + 0.5), double{scale}, real);
        const int64_t expected = rest < 0 ? n : rest > 0 ? n + 1 : n + n % 2;
        ASSERT_EQ(grid.Quantize(real), expected) << scale << " " << n;
        ASSERT_EQ(grid.Quantize(-real), -expected) << scale << " " << n;
      }
    }
  }
}

}  // namespace
}  // namespace tally::quant
