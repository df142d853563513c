#include <gtest/gtest.h>

#include <algorithm>

#include "ops/rescale/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

constexpr int64_t kElementLo = -(int64_t{1} << 47), kElementHi = (int64_t{1} << 47) - 1;
constexpr Interval kI32 = RangeOf(Storage::kI32), kI16 = RangeOf(Storage::kI16);

OpCase MulshiftOf(TestOperand a, TestOperand b, MulshiftAttrs attrs) {
  return {.op = Opcode::kMulshift, .operands = {std::move(a), std::move(b)}, .attributes = Pack(attrs)};
}

TEST(Mulshift, RoundsTheProductOnce) {
  const auto y =
      RunOp(MulshiftOf(Values({4, 1}, {3, -3, 5, 0}), Values({1}, {5}), {.shift = 1, .lo = -9, .hi = 127}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{8, -7, 13, 0}));
  EXPECT_EQ(y->types[0].ToString(), "[4,1] in [-7, 13]");
  EXPECT_EQ(y->gas, 192 + 72 * 4);
}

TEST(Mulshift, UsesEveryParameter) {
  const auto y = RunOp(MulshiftOf(Values({1}, {10}), Values({1}, {-4}),
                                  {.zero_a = 3,
                                   .zero_b = 5,
                                   .multiplier = -7,
                                   .shift = 3,
                                   .rounding = Rounding::kHalfEven,
                                   .zero_out = 100,
                                   .lo = 0,
                                   .hi = 200}));
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{155}));  // 7 * -9 * -7 / 8 = 55.125
}

// In mode double the sign of the product decides, not that of an operand: both steps look at it.
TEST(Mulshift, DoubleLooksAtTheProduct) {
  // Half a unit of the first step below 1/2.
  const int64_t near_tie = (int64_t{1} << 31) - (int64_t{1} << 30);
  const auto y = RunOp(MulshiftOf(Values({2}, {near_tie, -near_tie}), Values({2, 1}, {1, -1}),
                                  {.shift = 32, .rounding = Rounding::kDouble, .lo = -9, .hi = 9}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1, 0, 0, 1}));
}

TEST(Mulshift, IntervalIsExact) {
  for (const Rounding rounding : {Rounding::kFloor, Rounding::kHalfUp, Rounding::kHalfAway,
                                  Rounding::kHalfEven, Rounding::kDouble, Rounding::kTrunc}) {
    for (const int64_t multiplier : {-3, 0, 5}) {
      if (rounding == Rounding::kDouble && multiplier < 0) continue;
      for (int64_t zero = -6; zero <= 6; ++zero) {
        const auto y = RunOp(MulshiftOf(Values({5, 1}, {-4, -3, -2, -1, 0}), Values({4}, {1, 2, 3, 4}),
                                        {.zero_a = zero,
                                         .zero_b = 2,
                                         .multiplier = multiplier,
                                         .shift = 2,
                                         .rounding = rounding,
                                         .lo = -20,
                                         .hi = 9}));
        ASSERT_TRUE(y.ok()) << y.status();
        const auto [lo, hi] = std::minmax_element(y->values[0].begin(), y->values[0].end());
        EXPECT_EQ(y->types[0].interval, (Interval{*lo, *hi})) << RoundingName(rounding) << ' ' << zero;
      }
    }
  }
}

TEST(Mulshift, C1_RefusesWideConstants) {
  EXPECT_EQ(LabelOf(MulshiftOf(Constant({1}, {kElementHi + 1}), Values({1}, {0}), {})), "mulshift_c1");
  EXPECT_EQ(LabelOf(MulshiftOf(Values({1}, {0}), Constant({1}, {kElementLo - 1}), {})), "mulshift_c1");
}

TEST(Mulshift, C2_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOf(MulshiftOf(Values({2}, {0, 0}), Values({3}, {0, 0, 0}), {})), "mulshift_c2");
}

TEST(Mulshift, C3_RefusesAnEmptyClamp) {
  EXPECT_EQ(LabelOf(MulshiftOf(Values({1}, {0}), Values({1}, {0}), {.lo = 1, .hi = 0})), "mulshift_c3");
}

TEST(Mulshift, C4_RefusesANegativeMultiplierInModeDouble) {
  EXPECT_EQ(LabelOf(MulshiftOf(Values({1}, {0}), Values({1}, {0}),
                               {.multiplier = -1, .rounding = Rounding::kDouble})),
            "mulshift_c4");
}

TEST(Mulshift, C5_RefusesProductsBeyond64Bits) {
  const TestOperand wide = Values({1}, {kElementHi});
  EXPECT_EQ(LabelOf(MulshiftOf(wide, wide, {.shift = 62})), "mulshift_c5");
  EXPECT_EQ(LabelOf(MulshiftOf(wide, wide, {.multiplier = 0, .shift = 62})), "mulshift_c5");
}

TEST(Mulshift, C5_HoldsForWordsAsTheSpecSays) {
  const TestOperand i32 = Values({1}, {0}, kI32), i16 = Values({1}, {0}, kI16);
  for (const int64_t shift : {0, 31, 62}) {
    EXPECT_EQ(LabelOf(MulshiftOf(i32, i32, {.shift = shift})), "");
    EXPECT_EQ(LabelOf(MulshiftOf(i16, i16, {.multiplier = kI32.hi, .shift = shift})), "");
    EXPECT_EQ(LabelOf(MulshiftOf(i16, i16, {.multiplier = -kI32.hi, .shift = shift})), "");
  }
}

TEST(Mulshift, C6_RefusesAZeroPointThatLeaves64Bits) {
  const TestOperand a = Values({1}, {int64_t{1} << 17}),
                    b = Values({1}, {(int64_t{1} << 46) - (1 << 14) + 1});
  EXPECT_EQ(LabelOf(MulshiftOf(a, b, {.zero_out = kI32.hi})), "mulshift_c6");
  EXPECT_EQ(LabelOf(MulshiftOf(a, b, {.zero_out = 0})), "");
}

}  // namespace
}  // namespace tally
