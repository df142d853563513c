// Lowered modules against the float graph they came from: family image.
#include <gtest/gtest.h>

#include <vector>

#include "quant/lower/testing/measure_lowered.h"

namespace tally::quant {
namespace {

// Whether the module of `op`, which keeps the grid of x, adds no error to that of the grid.
void ExpectExact(const Op& op, const Shape& x, const std::vector<FloatTensor>& constants = {}) {
  constexpr double kHalfStep = 0.5 + 1e-4;
  const OutputAccuracy output = MeasureLowered(OneNode(op, {x}, constants));
  EXPECT_LE(output.error.largest() / output.step, kHalfStep) << OpName(op);
}

TEST(LowerResize, NearestIsExactAndLinearRoundsOnce) {
  ExpectExact(Resize{.size = {6, 4}}, {1, 2, 3, 5});
  for (const Coordinates coordinates : {Coordinates::kHalfPixel, Coordinates::kAlignCorners,
                                        Coordinates::kAsymmetric, Coordinates::kPytorchHalfPixel}) {
    const Resize linear = {.size = {7, 4}, .linear = true, .coordinates = coordinates};
    EXPECT_GT(Sqnr(OneNode(linear, {{1, 2, 3, 9}})), kGood);
  }
  const Resize scaled = {.size = {5, 5}, .linear = true, .scales = {3, 2, 5, 4}};
  EXPECT_GT(Sqnr(OneNode(scaled, {{1, 2, 4, 4}})), kGood);
  EXPECT_GT(Sqnr(OneNode(scaled, {{1, 2, 4, 4}}), {.low = 1, .high = 3}), kGood);
}

// Cubic curves overshoot: the grid of the result has room for it.
TEST(LowerResize, CubicRoundsTwice) {
  for (const bool flag : {false, true}) {
    const ResizeCubic cubic = {.size = {7, 4}, .antialias = flag, .exclude_outside = flag};
    EXPECT_GT(Sqnr(OneNode(cubic, {{1, 2, 3, 9}})), kGood);
    EXPECT_GT(Sqnr(OneNode(cubic, {{1, 2, 3, 9}}), {.low = 1, .high = 3}), kGood);
  }
}

}  // namespace
}  // namespace tally::quant
