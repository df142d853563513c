#include "base/rescale.h"

#include <cstdint>
#include <limits>

#include "base/testing/rounding_oracle.h"
#include "gtest/gtest.h"

namespace tally {
namespace {

constexpr Rounding kAllRoundings[] = {Rounding::kFloor,    Rounding::kHalfUp, Rounding::kHalfAway,
                                      Rounding::kHalfEven, Rounding::kDouble, Rounding::kTrunc};

int64_t RoundShift64(Rounding rounding, int64_t product, int shift) {
  return RoundShift<int64_t>(rounding, product, shift, product < 0);
}

TEST(Rescale, NamesRoundTrip) {
  for (const Rounding rounding : kAllRoundings) EXPECT_EQ(ParseRounding(RoundingName(rounding)), rounding);
  EXPECT_EQ(RoundingName(Rounding::kHalfEven), "half_even");
  EXPECT_EQ(ParseRounding("half_down"), std::nullopt);
  EXPECT_EQ(ParseRounding(""), std::nullopt);
}

// Every product of two 8-bit values, at every shift up to 12 and at those around kDouble's second step.
TEST(Rescale, EveryEightBitProductRoundsExactly) {
  for (const int shift : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 31, 32, 33, 62}) {
    for (int64_t product = -(1 << 14); product <= 1 << 14; ++product) {
      for (const Rounding rounding : kAllRoundings) {
        ASSERT_EQ(RoundShift64(rounding, product, shift), RoundExactly(rounding, product, shift))
            << RoundingName(rounding) << " of " << product << " >> " << shift;
      }
    }
  }
}

// A tie, and its neighbours on both sides, written out.
TEST(Rescale, TiesGoWhereTheModeSays) {
  const struct {
    Rounding rounding;
    int64_t of_minus_6, of_minus_2, of_2, of_6;  // -1.5, -0.5, 0.5, 1.5 in quarters
  } cases[] = {
      {Rounding::kFloor, -2, -1, 0, 1},    {Rounding::kHalfUp, -1, 0, 1, 2},
      {Rounding::kHalfAway, -2, -1, 1, 2}, {Rounding::kHalfEven, -2, 0, 0, 2},
      {Rounding::kDouble, -1, 0, 1, 2},    {Rounding::kTrunc, -1, 0, 0, 1},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(RoundingName(c.rounding));
    EXPECT_EQ(RoundShift64(c.rounding, -6, 2), c.of_minus_6);
    EXPECT_EQ(RoundShift64(c.rounding, -2, 2), c.of_minus_2);
    EXPECT_EQ(RoundShift64(c.rounding, 2, 2), c.of_2);
    EXPECT_EQ(RoundShift64(c.rounding, 6, 2), c.of_6);
  }
}

TEST(Rescale, ShiftZeroIsTheIdentity) {
  for (const Rounding rounding : kAllRoundings) {
    for (const int64_t product : {std::numeric_limits<int64_t>::min(), int64_t{-1}, int64_t{0}, int64_t{1},
                                  std::numeric_limits<int64_t>::max()}) {
      EXPECT_EQ(RoundShift64(rounding, product, 0), product);
    }
  }
}

// Includes the multi-word negative values whose >> Boost 1.74 gets wrong.
TEST(Rescale, FloorShiftOfBigIntIsAFloor) {
  for (int shift = 0; shift <= 70; ++shift) {
    const BigInt divisor = boost::multiprecision::pow(BigInt(2), shift);
    for (const BigInt& magnitude :
         {BigInt(0), BigInt(1), BigInt(divisor - 1), divisor, BigInt(divisor + 1), BigInt(5 * divisor - 1),
          BigInt((BigInt(1) << 64) + 1), BigInt(BigInt(1) << 130), BigInt((BigInt(1) << 130) + 1)}) {
      for (const BigInt& value : {magnitude, BigInt(-magnitude)}) {
        const BigInt floor = FloorShift<BigInt>(value, shift);
        EXPECT_LE(floor * divisor, value);
        EXPECT_GT((floor + 1) * divisor, value);
      }
    }
  }
}

TEST(Rescale, AddsZeroPointsAndClampsLast) {
  RescaleParams params = {.zero_in = 10, .multiplier = 3, .bias = 1, .shift = 1};
  params.zero_out = -5;
  params.lo = -8;
  params.hi = 7;
  EXPECT_EQ(Rescale<int64_t>(12, params), -1);  // (2 * 3 + 1) / 2 = 3.5 -> 4, then - 5
  EXPECT_EQ(Rescale<int64_t>(10, params), -4);
  EXPECT_EQ(Rescale<int64_t>(100, params), 7);
  EXPECT_EQ(Rescale<int64_t>(-100, params), -8);
  params.rounding = Rounding::kFloor;
  EXPECT_EQ(Rescale<int64_t>(12, params), -2);
}

static_assert(Rescale<int64_t>(6, {.multiplier = 3, .shift = 2, .lo = -128, .hi = 127}) == 5);

}  // namespace
}  // namespace tally
