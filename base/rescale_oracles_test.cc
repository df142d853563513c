// base/rescale.h against the rounding formulas of others, restated here from their specifications: ten
// million random inputs each, and every combination of edge values with every shift.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "base/rescale.h"

namespace tally {
namespace {

constexpr int kSamples = 10'000'000;
constexpr int64_t kI32Min = std::numeric_limits<int32_t>::min(),
                  kI32Max = std::numeric_limits<int32_t>::max();

// Values at all magnitudes, so that small ones, ties and both signs are common.
class RandomValues {
 public:
  int64_t Signed(int max_bits) {
    const auto magnitude = static_cast<int64_t>(bits_() >> (64 - max_bits) >> (bits_() % max_bits));
    return bits_() & 1 ? -magnitude : magnitude;
  }
  int InRange(int lo, int hi) { return lo + static_cast<int>(bits_() % (hi - lo + 1)); }

 private:
  std::mt19937_64 bits_{20260101};
};

// Around zero, around every power of two, and the ends of [lo, hi].
std::vector<int64_t> Edges(int64_t lo, int64_t hi) {
  std::vector<int64_t> edges = {lo, lo + 1, hi - 1, hi};
  for (int64_t power = 1; power <= hi; power *= 2) {
    for (int64_t near = power - 1; near <= power + 1; ++near) {
      for (const int64_t value : {near, -near}) {
        if (lo <= value && value <= hi) edges.push_back(value);
      }
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

// gemmlowp: the high half of twice the product, rounded.
int32_t SaturatingRoundingDoublingHighMul(int32_t a, int32_t b) {
  if (a == b && a == std::numeric_limits<int32_t>::min()) return std::numeric_limits<int32_t>::max();
  const int64_t product = int64_t{a} * b;
  const int64_t nudge = product >= 0 ? (1 << 30) : 1 - (1 << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

// gemmlowp: x / 2^exponent, rounded.
int32_t RoundingDivideByPOT(int32_t x, int exponent) {
  const int32_t mask = static_cast<int32_t>((int64_t{1} << exponent) - 1);
  const int32_t remainder = x & mask;
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

// Calls check(x, multiplier, i) for random and edge 32-bit values and multipliers >= 0, i in [lo, hi].
template <typename Check>
void ForEachProduct(int lo, int hi, Check check) {
  RandomValues random;
  for (int n = 0; n < kSamples; ++n) {
    check(static_cast<int32_t>(random.Signed(31)), static_cast<int32_t>(std::abs(random.Signed(31))),
          random.InRange(lo, hi));
  }
  for (const int64_t x : Edges(kI32Min, kI32Max)) {
    for (const int64_t multiplier : Edges(0, kI32Max)) {
      for (int i = lo; i <= hi; ++i) check(static_cast<int32_t>(x), static_cast<int32_t>(multiplier), i);
    }
  }
}

// TFLite, MultiplyByQuantizedMultiplier with shift = -exponent.
TEST(RescaleAgainstTflite, DoubleRoundingIsHighMulThenDivideByPowerOfTwo) {
  ForEachProduct(0, 31, [](int32_t x, int32_t multiplier, int exponent) {
    const int32_t expected = RoundingDivideByPOT(SaturatingRoundingDoublingHighMul(x, multiplier), exponent);
    const int64_t product = int64_t{x} * multiplier;
    ASSERT_EQ(RoundShift<int64_t>(Rounding::kDouble, product, 31 + exponent, x < 0), expected)
        << x << " * " << multiplier << " by " << 31 + exponent;
  });
}

// The same with shift = left_shift, where the shifted value must fit.
TEST(RescaleAgainstTflite, DoubleRoundingWithLeftShiftIsHalfUp) {
  ForEachProduct(0, 15, [](int32_t x, int32_t multiplier, int left_shift) {
    const int64_t shifted = int64_t{x} * (int64_t{1} << left_shift);
    if (shifted < kI32Min || shifted > kI32Max) return;
    const int32_t expected = SaturatingRoundingDoublingHighMul(static_cast<int32_t>(shifted), multiplier);
    const int64_t product = int64_t{x} * multiplier;
    ASSERT_EQ(RoundShift<int64_t>(Rounding::kDouble, product, 31 - left_shift, x < 0), expected)
        << x << " * " << multiplier << " by " << 31 - left_shift;
  });
}

// TFLITE_SINGLE_ROUNDING: one 64-bit add and shift.
TEST(RescaleAgainstTflite, SingleRoundingIsHalfUp) {
  ForEachProduct(1, 62, [](int32_t x, int32_t multiplier, int shift) {
    const int64_t product = int64_t{x} * multiplier;
    const int64_t expected = (product + (int64_t{1} << (shift - 1))) >> shift;
    ASSERT_EQ(RoundShift<int64_t>(Rounding::kHalfUp, product, shift, x < 0), expected);
  });
}

TEST(RescaleAgainstGemmlowp, DivideByPowerOfTwoIsHalfAway) {
  const auto check = [](int64_t x, int exponent) {
    ASSERT_EQ(RoundShift<int64_t>(Rounding::kHalfAway, x, exponent, x < 0),
              RoundingDivideByPOT(static_cast<int32_t>(x), exponent))
        << x << " by " << exponent;
  };
  RandomValues random;
  for (int i = 0; i < kSamples; ++i) check(random.Signed(31), random.InRange(0, 31));
  for (const int64_t x : Edges(kI32Min, kI32Max)) {
    for (int exponent = 0; exponent <= 31; ++exponent) check(x, exponent);
  }
}

// TOSA, apply_scale_32: the value is scaled by multiplier / 2^shift with 2 <= shift <= 62; in double rounding
// the sign of the value nudges the round when shift > 31.
int64_t TosaApplyScale32(int32_t value, int32_t multiplier, int shift, bool double_round) {
  int64_t round = int64_t{1} << (shift - 1);
  if (double_round && shift > 31) round += value >= 0 ? int64_t{1} << 30 : -(int64_t{1} << 30);
  return (int64_t{value} * multiplier + round) >> shift;
}

TEST(RescaleAgainstTosa, SingleRoundIsHalfUpAndDoubleRoundIsDouble) {
  ForEachProduct(2, 62, [](int32_t x, int32_t multiplier, int shift) {
    const int64_t product = int64_t{x} * multiplier;
    ASSERT_EQ(RoundShift<int64_t>(Rounding::kHalfUp, product, shift, x < 0),
              TosaApplyScale32(x, multiplier, shift, false));
    ASSERT_EQ(RoundShift<int64_t>(Rounding::kDouble, product, shift, x < 0),
              TosaApplyScale32(x, multiplier, shift, true))
        << x << " * " << multiplier << " by " << shift;
  });
}

// TOSA, apply_scale_16: 48-bit values and 15-bit multipliers.
TEST(RescaleAgainstTosa, The48BitScaleIsHalfUp) {
  const auto check = [](int64_t x, int64_t multiplier, int shift) {
    const int64_t expected = (x * multiplier + (int64_t{1} << (shift - 1))) >> shift;
    const RescaleParams params = {.multiplier = static_cast<int32_t>(multiplier),
                                  .shift = shift,
                                  .lo = std::numeric_limits<int64_t>::min(),
                                  .hi = std::numeric_limits<int64_t>::max()};
    ASSERT_EQ(Rescale<int64_t>(x, params), expected) << x << " * " << multiplier << " by " << shift;
  };
  RandomValues random;
  for (int i = 0; i < kSamples; ++i)
    check(random.Signed(47), std::abs(random.Signed(15)), random.InRange(2, 62));
  for (const int64_t x : Edges(-(int64_t{1} << 47), (int64_t{1} << 47) - 1)) {
    for (const int64_t multiplier : Edges(0, 32767)) {
      for (int shift = 2; shift <= 62; ++shift) check(x, multiplier, shift);
    }
  }
}

// TOSA, ARITHMETIC_RIGHT_SHIFT: with round, the bit below the cut is added.
TEST(RescaleAgainstTosa, ArithmeticRightShiftIsFloorOrHalfUp) {
  const auto check = [](int64_t x, int shift) {
    const int64_t floor = x >> shift;
    ASSERT_EQ(RoundShift<int64_t>(Rounding::kFloor, x, shift, x < 0), floor);
    const bool bit_below = shift > 0 && ((x >> (shift - 1)) & 1) != 0;
    ASSERT_EQ(RoundShift<int64_t>(Rounding::kHalfUp, x, shift, x < 0), floor + (bit_below ? 1 : 0));
  };
  RandomValues random;
  for (int i = 0; i < kSamples; ++i) check(random.Signed(31), random.InRange(0, 31));
  for (const int64_t x : Edges(kI32Min, kI32Max)) {
    for (int shift = 0; shift <= 31; ++shift) check(x, shift);
  }
}

// ONNX, QuantizeLinear: saturate(nearbyint(x / y_scale) + zero_point); a 52-bit x over a power of two is
// exact.
TEST(RescaleAgainstOnnx, QuantizeLinearIsHalfEven) {
  const auto check = [](int64_t x, int shift, int zero_point) {
    const RescaleParams params = {
        .shift = shift, .rounding = Rounding::kHalfEven, .zero_out = zero_point, .lo = -128, .hi = 127};
    const double rounded = std::nearbyint(std::ldexp(static_cast<double>(x), -shift));
    const double expected = std::fmin(std::fmax(rounded + zero_point, -128), 127);
    ASSERT_EQ(Rescale<int64_t>(x, params), static_cast<int64_t>(expected)) << x << " by " << shift;
  };
  RandomValues random;
  for (int i = 0; i < kSamples; ++i)
    check(random.Signed(52), random.InRange(0, 62), random.InRange(-128, 127));
  for (const int64_t x : Edges(-(int64_t{1} << 52), int64_t{1} << 52)) {
    for (int shift = 0; shift <= 62; ++shift) {
      for (const int zero_point : {-128, -1, 0, 1, 127}) check(x, shift, zero_point);
    }
  }
}

}  // namespace
}  // namespace tally
