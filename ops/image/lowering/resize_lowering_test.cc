#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <map>
#include <random>

#include "ops/image/lowering/attrs.h"
#include "ops/image/lowering/tap_table.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;
using Names = std::vector<std::string>;
using Rational = boost::multiprecision::cpp_rational;

LoweringCase Resize(TestOperand x, const ResizeAttrs& attrs) {
  return {.name = "resize", .operands = {std::move(x)}, .attributes = Pack(attrs)};
}

TestOperand Image(int64_t h, int64_t w, int64_t lo, int64_t hi) {
  std::mt19937_64 random(h * 100 + w);
  Ints values(h * w);
  for (int64_t& value : values) value = lo + static_cast<int64_t>(random() % (hi - lo + 1));
  values[0] = lo;
  values[h * w - 1] = hi;
  return Values({h, w}, values, {lo, hi});
}

TEST(ResizeLowering, TakesPixelsOrSumsTapsAndRoundsOnce) {
  const TestOperand x = Image(2, 3, -9, 9);
  EXPECT_EQ(RunLowering(Resize(x, {.axes = {0, 1}, .sizes = {4, 6}}))->instructions, (Names{"take", "take"}));
  const auto y = RunLowering(Resize(x, {.axes = {0, 1}, .sizes = {4, 6}, .mode = ResizeMode::kLinear}));
  EXPECT_EQ(y->instructions, (Names{"resample", "resample", "rescale"}));
  EXPECT_EQ(y->types[0].interval, (Interval{-9, 9}));
}

TEST(ResizeLowering, LeavesAxesAloneThatKeepTheirSize) {
  const TestOperand x = Image(2, 3, -9, 9);
  const ResizeAttrs same = {.axes = {0, 1}, .sizes = {2, 3}, .mode = ResizeMode::kCubic};
  EXPECT_EQ(RunLowering(Resize(x, same))->instructions, Names{});
  const ResizeAttrs one = {.axes = {0, 1}, .sizes = {2, 6}, .mode = ResizeMode::kCubic};
  EXPECT_EQ(RunLowering(Resize(x, one))->instructions, (Names{"resample", "rescale"}));
}

// Position of point o, by the formulas of ONNX.
Rational PositionOf(Coordinates coordinates, int64_t o, int64_t in, int64_t out) {
  switch (coordinates) {
    case Coordinates::kAlignCorners: return out == 1 ? Rational(0) : Rational(o * (in - 1), out - 1);
    case Coordinates::kAsymmetric: return Rational(o * in, out);
    default: return Rational((2 * o + 1) * in, 2 * out) - Rational(1, 2);
  }
}

Rational KernelAt(ResizeMode mode, const Rational& distance) {
  const Rational z = abs(distance), a(-3, 4);
  if (mode == ResizeMode::kLinear) return z < 1 ? Rational(1 - z) : Rational(0);
  if (z <= 1) return (a + 2) * z * z * z - (a + 3) * z * z + 1;
  return z < 2 ? Rational(a * (z * z * z - 5 * z * z + 8 * z - 4)) : Rational(0);
}

// {pixel: weight} of point o, over every pixel in reach.
std::map<int64_t, Rational> WeightsOf(ResizeMode mode, Coordinates coordinates, int64_t o, int64_t in,
                                      int64_t out) {
  std::map<int64_t, Rational> weights;
  const Rational position = PositionOf(coordinates, o, in, out);
  for (int64_t t = -in - 4; t <= 2 * in + 4; ++t) {
    weights[std::clamp<int64_t>(t, 0, in - 1)] += KernelAt(mode, position - t);
  }
  return weights;
}

// The largest difference from the exact image, in units of the result.
Rational WorstError(ResizeMode mode, Coordinates coordinates, const TestOperand& x, int64_t oh, int64_t ow,
                    bool exact_weights = false) {
  const Shape& shape = x.tensor.shape();
  const auto y = RunLowering(Resize(
      x,
      {.axes = {0, 1}, .sizes = {oh, ow}, .mode = mode, .coordinates = coordinates, .exact = exact_weights}));
  EXPECT_TRUE(y.ok()) << y.status();
  Rational worst = 0;
  for (int64_t p = 0; p < oh; ++p) {
    for (int64_t q = 0; q < ow; ++q) {
      Rational exact = 0;
      for (const auto& [h, a] : WeightsOf(mode, coordinates, p, shape[0], oh)) {
        for (const auto& [w, b] : WeightsOf(mode, coordinates, q, shape[1], ow)) {
          exact += a * b * x.tensor.view().at(h * shape[1] + w);
        }
      }
      const Rational error = abs(Rational(exact - y->values[0][p * ow + q]));
      if (error > worst) worst = error;
    }
  }
  return worst;
}

constexpr Coordinates kCoordinates[] = {Coordinates::kHalfPixel, Coordinates::kAlignCorners,
                                        Coordinates::kAsymmetric};

// ops/image/lowerings.md: half a unit, and for each axis 2^-12 of the range of x when linear; of two cubic
// axes together 3 * 2^-14 of the range.
TEST(ResizeLowering, TheErrorStaysBelowTheBound) {
  const int64_t range = 65535;  // large, so that the weights' error shows
  for (const auto& [h, w, oh, ow] :
       std::vector<std::array<int64_t, 4>>{{3, 5, 7, 4}, {4, 3, 1, 11}, {6, 7, 5, 13}}) {
    const TestOperand x = Image(h, w, -32768, 32767);
    for (const Coordinates coordinates : kCoordinates) {
      const Rational half(1, 2);
      EXPECT_LE(WorstError(ResizeMode::kLinear, coordinates, x, oh, ow), half + Rational(2 * range, 1 << 12));
      EXPECT_LE(WorstError(ResizeMode::kCubic, coordinates, x, oh, ow), half + Rational(3 * range, 1 << 14));
    }
  }
}

// Scales whose positions have denominators up to 2^11 lose nothing but the rounding.
TEST(ResizeLowering, LinearIsExactForDyadicScales) {
  for (const Coordinates coordinates : {Coordinates::kHalfPixel, Coordinates::kAsymmetric}) {
    for (const int64_t scale : {2, 4, 8}) {
      const TestOperand x = Image(3, 4, -32768, 32767);
      EXPECT_LE(WorstError(ResizeMode::kLinear, coordinates, x, 3 * scale, 4 * scale), Rational(1, 2));
    }
  }
}

// Under `exact` no scale loses anything but the rounding, which goes up at ties.
TEST(ResizeLowering, ExactWeightsAreCorrectlyRounded) {
  for (const auto& [h, w, oh, ow] :
       std::vector<std::array<int64_t, 4>>{{3, 5, 7, 4}, {4, 3, 1, 11}, {6, 7, 5, 3}}) {
    const TestOperand x = Image(h, w, -128, 127);
    for (const Coordinates coordinates : kCoordinates) {
      EXPECT_LE(WorstError(ResizeMode::kLinear, coordinates, x, oh, ow, true), Rational(1, 2));
      EXPECT_LE(WorstError(ResizeMode::kCubic, coordinates, x, oh, ow, true), Rational(1, 2));
    }
  }
  const ResizeAttrs third = {.sizes = {2}, .scales = {2, 3}, .mode = ResizeMode::kArea, .exact = true};
  const auto y = RunLowering(Resize(Values({3}, {1, 3, 9}), third));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{2, 7}));  // 5/3 and 7
  EXPECT_EQ(y->instructions, (Names{"resample", "divide"}));
}

TEST(ResizeLowering, ExactWeightsOfDyadicScalesAreShifted) {
  const ResizeAttrs attrs = {.axes = {0, 1}, .sizes = {4, 6}, .mode = ResizeMode::kLinear, .exact = true};
  const auto y = RunLowering(Resize(Image(2, 3, -9, 9), attrs));
  EXPECT_EQ(y->instructions, (Names{"resample", "resample", "rescale"}));
  ResizeAttrs rounded = attrs;
  rounded.exact = false;
  EXPECT_EQ(y->values, RunLowering(Resize(Image(2, 3, -9, 9), rounded))->values);
}

TEST(ResizeLowering, ExactWeightsWithoutACommonDenominatorAreRefused) {
  const ResizeAttrs attrs = {.sizes = {99}, .mode = ResizeMode::kCubic, .antialias = true, .exact = true};
  EXPECT_EQ(LabelOf(Resize(Values({101}, Ints(101)), attrs)), "lowering_operands");
}

TEST(ResizeLowering, PointsOutsideAreTheExtrapolationValue) {
  ResizeAttrs attrs = {.sizes = {5},
                       .regions = {-1, 3},
                       .region_unit = 2,
                       .mode = ResizeMode::kLinear,
                       .coordinates = Coordinates::kTfCropAndResize,
                       .extrapolation = -7};
  const TestOperand x = Values({3}, {10, 20, 31});
  // Positions -1, 0, 1, 2, 3.
  EXPECT_EQ(RunLowering(Resize(x, attrs))->values[0], (Ints{-7, 10, 20, 31, -7}));
  attrs.mode = ResizeMode::kNearest;
  EXPECT_EQ(RunLowering(Resize(x, attrs))->values[0], (Ints{-7, 10, 20, 31, -7}));
  attrs.exact = true;
  EXPECT_EQ(RunLowering(Resize(x, attrs))->values[0], (Ints{-7, 10, 20, 31, -7}));
  attrs.regions = {0, 2};
  EXPECT_EQ(RunLowering(Resize(x, attrs))->instructions, Names{"take"});
}

TEST(TapTable, RowsSumToOneInEveryModeAndKeepConstants) {
  for (const ResizeMode mode : {ResizeMode::kLinear, ResizeMode::kCubic, ResizeMode::kArea}) {
    for (const bool antialias : {false, true}) {
      for (int64_t in = 1; in <= 7; ++in) {
        for (int64_t out = 1; out <= 7; ++out) {
          for (int coordinates = 0; coordinates < 9; ++coordinates) {
            ResizeAttrs attrs = {.mode = mode, .coordinates = static_cast<Coordinates>(coordinates)};
            if (attrs.coordinates == Coordinates::kTfCropAndResize) continue;  // has rows of zeros
            attrs.antialias = antialias;
            const auto table = MakeTapTable(attrs, {.in = in, .out = out, .scale = {out, in}});
            ASSERT_TRUE(table.ok()) << table.status();
            for (int64_t o = 0; o < out; ++o) {
              int64_t sum = 0;
              for (int64_t t = 0; t < table->taps; ++t) sum += table->weight[o * table->taps + t];
              ASSERT_EQ(sum, table->whole);
            }
          }
        }
      }
    }
  }
}

TEST(TapTable, RoundingTiesGoToTheLowerPixel) {
  const auto table =
      MakeTapTable({.mode = ResizeMode::kLinear, .weight_bits = 1}, {.in = 2, .out = 4, .scale = {2, 1}});
  EXPECT_EQ(table->index, (Ints{0, 0, 0, 1, 0, 1, 1, 1}));
  EXPECT_EQ(table->weight, (Ints{2, 0, 2, 0, 1, 1, 2, 0}));
}

TEST(ResizeLowering, CvmUpsamplingIsTake) {
  const auto y = RunLowering({.name = "upsampling",
                              .operands = {Values({1, 1, 1, 2}, {3, 4})},
                              .attributes = Pack(UpsamplingAttrs{.scale = 2})});
  EXPECT_EQ(y->values[0], (Ints{3, 3, 4, 4, 3, 3, 4, 4}));
  EXPECT_EQ(y->instructions, (Names{"take", "take"}));
}

TEST(ResizeLowering, TosaBilinearIsTheExactSum) {
  const auto y =
      RunLowering({.name = "tosa_resize",
                   .operands = {Values({1, 1, 2, 1}, {10, 20})},
                   .attributes = Pack(TosaResizeAttrs{
                       .scale = {1, 1, 4, 2}, .offset = {0, -1}, .border = {0, 1}, .bilinear = true})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{40, 50, 70, 80}));
}

TEST(ResizeLowering, RefusesWhatHasNoMeaning) {
  const TestOperand x = Image(2, 3, -9, 9);
  EXPECT_EQ(LabelOf(Resize(x, {.axes = {0, 1}, .sizes = {4}})), "lowering_operands");
  EXPECT_EQ(LabelOf(Resize(x, {.scales = {1}})), "lowering_operands");
  EXPECT_EQ(LabelOf(Resize(x, {.axes = {2}})), "lowering_operands");
  EXPECT_EQ(LabelOf(Resize(x, {.coordinates = Coordinates::kTfCropAndResize})), "lowering_operands");
}

TEST(ResizeLowering, HostileAttributesEndSoon) {
  const TestOperand x = Image(2, 3, -9, 9);
  const int64_t largest = (int64_t{1} << 31) - 1;
  EXPECT_EQ(LabelOf(Resize(x, {.sizes = {largest}})), "lowering_operands");
  EXPECT_EQ(LabelOf(Resize(x, {.scales = {1, largest}, .mode = ResizeMode::kCubic, .antialias = true})),
            "lowering_operands");
  EXPECT_EQ(LabelOf(Resize(x, {.scales = {1, largest}, .mode = ResizeMode::kArea})), "lowering_operands");
  EXPECT_NE(LabelOf(Resize(x, {.sizes = {5},
                               .mode = ResizeMode::kCubic,
                               .exclude_outside = true,
                               .cubic_numerator = largest,
                               .cubic_denominator = 1})),
            "");
}

}  // namespace
}  // namespace tally
