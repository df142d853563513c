// The numbers that lowering chooses: grids, multipliers, weights.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "quant/grid/fixed_multiplier.h"
#include "quant/grid/quantized_type.h"
#include "quant/lower/quantize_weights.h"

namespace tally::quant {
namespace {

TEST(RoundScaleUp, KeepsAtMost24BitsAndNeverShrinks) {
  for (const double scale : {1.0, 0.1, 1.0 / 3, 1e-20, 3.9e7, 0x1.fffffffffffffp3}) {
    const double rounded = RoundScaleUp(scale);
    EXPECT_GE(rounded, scale);
    EXPECT_LE(rounded, scale * (1 + 0x1p-23));
    EXPECT_EQ(static_cast<double>(static_cast<float>(rounded)), rounded) << "more than 24 bits";
  }
  EXPECT_EQ(RoundScaleUp(0x1p-4), 0x1p-4);
}

TEST(ChooseAffine, CoversTheRangeAndHoldsZeroExactly) {
  const std::pair<double, double> ranges[] = {{0, 1},   {-1, 0}, {-3.7, 12.2}, {2, 5},
                                              {-9, -4}, {0, 0},  {0, 1e-30}};
  for (const auto& [min, max] : ranges) {
    const QuantizedType type = ChooseAffine(min, max, 8);
    EXPECT_EQ(type.interval, (Interval{-128, 127}));
    EXPECT_TRUE(type.interval.Contains(type.zero_point));
    EXPECT_EQ(type.Quantize(0), type.zero_point);
    // Half a step may be lost at each end, because the zero point is an integer.
    const double lowest = (-128 - type.zero_point) * type.scale,
                 highest = (127 - type.zero_point) * type.scale;
    EXPECT_LE(lowest - type.scale / 2, min);
    EXPECT_GE(highest + type.scale / 2, max);
  }
}

TEST(ChooseAffine, SpendsAllCodesOnAOneSidedRange) {
  const QuantizedType type = ChooseAffine(0, 25.5, 8);
  EXPECT_EQ(type.zero_point, -128);
  EXPECT_NEAR(type.scale, 0.1, 1e-7);
}

TEST(QuantizedType, RoundsHalvesToEvenAndClamps) {
  const QuantizedType type{0.5, 10, {-20, 20}};
  EXPECT_EQ(type.Quantize(0.25), 10);
  EXPECT_EQ(type.Quantize(-0.25), 10);
  EXPECT_EQ(type.Quantize(0.75), 12);
  EXPECT_EQ(type.Quantize(1e300), 20);
  EXPECT_EQ(type.Quantize(-1e300), -20);
}

TEST(ToMetadata, IsTheScaleWithAnOddMultiplier) {
  const Quantization metadata = ToMetadata({0.375, -7, {0, 1}});
  EXPECT_EQ(metadata, (Quantization{.zero_point = -7, .multiplier = 3, .shift = 3}));
  EXPECT_EQ(ToMetadata({8, 0, {0, 1}}), (Quantization{.zero_point = 0, .multiplier = 1, .shift = -3}));
}

TEST(ToFixedMultiplier, IsWithin31BitsOfTheGain) {
  for (const double gain : {1.0, 0.5, 0.999999999999, 1.0 / 3, 0x1p-31, 12345.678, 1e-9, 0x1.fffffp30}) {
    const auto fixed = ToFixedMultiplier(gain, (1u << 31) - 1);
    ASSERT_TRUE(fixed.ok()) << gain;
    EXPECT_LT(fixed->multiplier, int64_t{1} << 31);
    EXPECT_GE(fixed->shift, 0);
    EXPECT_LE(fixed->shift, 62);
    const double value = std::ldexp(static_cast<double>(fixed->multiplier), -static_cast<int>(fixed->shift));
    EXPECT_NEAR(value / gain, 1, 0x1p-30) << gain;
  }
}

TEST(ToFixedMultiplier, GivesUpBitsForLargeValuesAndTinyGains) {
  EXPECT_LT(ToFixedMultiplier(0.7, uint64_t{1} << 40)->multiplier, int64_t{1} << 21);
  const FixedMultiplier tiny = *ToFixedMultiplier(0x1p-50, 100);
  EXPECT_EQ(tiny.shift, 62);
  EXPECT_EQ(tiny.multiplier, 1 << 12);
  EXPECT_EQ(*ToFixedMultiplier(0x1p-200, 100), (FixedMultiplier{0, 62}));
  EXPECT_EQ(*ToFixedMultiplier(0, 100), FixedMultiplier{});
}

TEST(ToFixedMultiplier, HasFewBitsOntoGridsOfOursWith8) {
  const QuantizedType bytes = ChooseAffine(-1, 2, kActivationBits), wide = ChooseAffine(-1, 2, kWideBits);
  QuantizedType of_file = bytes;
  of_file.rounding = Rounding::kHalfEven;
  EXPECT_EQ(MultiplierBitsOnto(bytes), kShortMultiplierBits);
  EXPECT_EQ(MultiplierBitsOnto(wide), kMultiplierBits);
  EXPECT_EQ(MultiplierBitsOnto(of_file), kMultiplierBits);
  for (const double gain : {1.0 / 3, 0.25, 0.9999999 / 1024, 1e-7}) {
    const FixedMultiplier fixed = *ToFixedMultiplier(gain, 1u << 30, kShortMultiplierBits);
    EXPECT_LT(fixed.multiplier, 1 << kShortMultiplierBits);
    const double value = std::ldexp(static_cast<double>(fixed.multiplier), -static_cast<int>(fixed.shift));
    EXPECT_NEAR(value / gain, 1, 0x1p-15) << gain;
  }
}

TEST(ToFixedMultiplier, RefusesWhatNoMultiplierExpresses) {
  EXPECT_EQ(ErrorLabel(ToFixedMultiplier(0x1p31, 1).status()), "lower_gain");
  EXPECT_EQ(ErrorLabel(ToFixedMultiplier(-1, 1).status()), "lower_gain");
  EXPECT_EQ(ErrorLabel(ToFixedMultiplier(std::nan(""), 1).status()), "lower_gain");
  EXPECT_EQ(ErrorLabel(ToFixedMultiplier(0.5, uint64_t{1} << 61).status()), "lower_gain");
}

TEST(CanTie, IsWhetherAProductReachesTheMiddle) {
  // 3 / 8 of v: a tie where 3 v is an odd multiple of 4.
  for (const FixedMultiplier& gain :
       {FixedMultiplier{3, 3}, FixedMultiplier{12, 5}, FixedMultiplier{-3, 3}}) {
    EXPECT_FALSE(CanTie(gain, 3));
    EXPECT_TRUE(CanTie(gain, 4));
  }
  EXPECT_FALSE(CanTie({8, 3}, 1000)) << "whole numbers";
  EXPECT_FALSE(CanTie({0, 3}, 1000));
  EXPECT_FALSE(CanTie({5, 0}, 1000));
}

TEST(GainInFloat, RoundsTwiceToFloatOrFallsBack) {
  EXPECT_EQ(GainInFloat(0.1f, 0.3f, 0.7f), static_cast<double>(0.1f * 0.3f / 0.7f));
  EXPECT_EQ(GainInFloat(0x1p-100, 0x1p-100, 0x1p-120), 0x1p-80);  // the product is no float
}

TEST(QuantizeWeights, ScalesEachChannelByItsLargest) {
  const FloatTensor weights{{2, 3}, {1.27f, -0.01f, 0, 0, 0, -254}};
  const QuantizedWeights rows = QuantizeWeights(weights, 0, {});
  EXPECT_EQ(rows.codes, (std::vector<int64_t>{127, -1, 0, 0, 0, -127}));
  EXPECT_EQ(rows.code_sums, (std::vector<int64_t>{126, -127}));
  EXPECT_EQ(rows.magnitude_sums, (std::vector<int64_t>{128, 127}));
  EXPECT_EQ(rows.scales[1], 2.0);

  const QuantizedWeights columns = QuantizeWeights(weights, 1, {});
  EXPECT_EQ(columns.codes, (std::vector<int64_t>{127, -127, 0, 0, 0, -127}));
}

TEST(QuantizeWeights, WidensAChannelWhoseBiasWouldNotFit) {
  const QuantizedWeights wide = QuantizeWeights({{1, 1}, {1}}, 0, {0.5});
  EXPECT_EQ(wide.codes, (std::vector<int64_t>{2}));
  EXPECT_EQ(wide.scales[0], 0.5);
}

}  // namespace
}  // namespace tally::quant
