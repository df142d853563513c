#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "ops/rescale/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

constexpr int64_t kElementHi = (int64_t{1} << 47) - 1;
constexpr int64_t kI64Max = std::numeric_limits<int64_t>::max();

OpCase Combine(std::vector<TestOperand> operands, LincombAttrs attrs) {
  return {.op = Opcode::kLincomb, .operands = std::move(operands), .attributes = Pack(attrs)};
}

TEST(Lincomb, AddsWithOneRounding) {
  // 1/2 + 1/2: two roundings half up would give 2.
  const auto y =
      RunOp(Combine({Values({2}, {1, -1}), Values({2}, {1, -1})},
                    {.multipliers = {1, 1}, .zero_points = {0, 0}, .shift = 1, .lo = -128, .hi = 127}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1, -1}));
  EXPECT_EQ(y->gas, 1536 + 2 * 80);
}

TEST(Lincomb, UsesEveryParameter) {
  const auto y = RunOp(Combine({Values({1}, {10}), Values({1}, {20}), Values({1}, {30}), Values({1}, {40})},
                               {.multipliers = {1, -2, 3, 4},
                                .zero_points = {1, 2, 3, -4},
                                .bias = 5,
                                .shift = 2,
                                .rounding = Rounding::kFloor,
                                .zero_out = -7,
                                .lo = 0,
                                .hi = 100}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{51}));  // floor((9 - 36 + 81 + 176 + 5) / 4) - 7
}

TEST(Lincomb, BoundsEveryPartialSumInAnyOrder) {
  const auto y =
      RunOp(Combine({Values({1}, {0}, {-3, 5}), Values({1}, {0}, {1, 2})},
                    {.multipliers = {2, -10}, .zero_points = {0, 0}, .bias = 4, .lo = -99, .hi = 99}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->accumulator, (Interval{-6 - 20, 10 + 4}));
  EXPECT_EQ(y->types[0].interval, (Interval{-6 - 20 + 4, 10 - 10 + 4}));
}

TEST(Lincomb, IntervalIsExact) {
  std::vector<int64_t> a, b;
  for (int64_t i = -4; i <= 3; ++i) {
    for (int64_t j = -2; j <= 5; ++j) {
      a.push_back(i);
      b.push_back(j);
    }
  }
  for (const Rounding rounding :
       {Rounding::kFloor, Rounding::kHalfUp, Rounding::kHalfAway, Rounding::kHalfEven, Rounding::kTrunc}) {
    for (const int64_t m : {-3, 0, 5}) {
      const auto y = RunOp(Combine({Values({64}, a), Values({64}, b)}, {.multipliers = {m, -2},
                                                                        .zero_points = {1, -1},
                                                                        .bias = 3,
                                                                        .shift = 2,
                                                                        .rounding = rounding,
                                                                        .lo = -100,
                                                                        .hi = 100}));
      ASSERT_TRUE(y.ok()) << y.status();
      const auto [lo, hi] = std::minmax_element(y->values[0].begin(), y->values[0].end());
      EXPECT_EQ(y->types[0].interval, (Interval{*lo, *hi})) << RoundingName(rounding) << " m=" << m;
    }
  }
}

TEST(Lincomb, C1_RefusesAConstantBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOf(Combine({Values({1}, {1}), Constant({1}, {kElementHi + 1})},
                            {.multipliers = {1, 0}, .zero_points = {0, 0}})),
            "lincomb_c1");
}

TEST(Lincomb, C2_RefusesDifferentShapes) {
  EXPECT_EQ(LabelOf(Combine({Values({1, 2}, {1, 1}), Values({2}, {1, 1})},
                            {.multipliers = {1, 1}, .zero_points = {0, 0}})),
            "lincomb_c2");
}

TEST(Lincomb, C3_RefusesListsThatDoNotMatchTheOperands) {
  const TestOperand x = Values({1}, {1});
  EXPECT_EQ(LabelOf(Combine({x, x}, {.multipliers = {1}, .zero_points = {0, 0}})), "lincomb_c3");
  EXPECT_EQ(LabelOf(Combine({x, x}, {.multipliers = {1, 1}, .zero_points = {0, 0, 0}})), "lincomb_c3");
}

TEST(Lincomb, C4_RefusesAnEmptyClamp) {
  EXPECT_EQ(LabelOf(Combine({Values({1}, {1})}, {.multipliers = {1}, .zero_points = {0}, .lo = 1})),
            "lincomb_c4");
}

TEST(Lincomb, C5_RefusesDouble) {
  EXPECT_EQ(LabelOf(Combine({Values({1}, {1})},
                            {.multipliers = {1}, .zero_points = {0}, .rounding = Rounding::kDouble})),
            "lincomb_c5");
}

TEST(Lincomb, C6_RefusesTermsThatLeave64BitsInSomeOrder) {
  const auto with_bias = [](int64_t bias) {
    return LabelOf(Combine({Values({1}, {-3}), Values({1}, {4})},
                           {.multipliers = {2, 2}, .zero_points = {0, 0}, .bias = bias}));
  };
  const int64_t largest = kI64Max - (int64_t{1} << 30);  // for the sum of magnitudes at shift 0
  EXPECT_EQ(with_bias(largest - 14), "");
  EXPECT_EQ(with_bias(largest - 13), "lincomb_c6");
  EXPECT_EQ(with_bias(14 - largest), "");
  EXPECT_EQ(with_bias(13 - largest), "lincomb_c6");
}

TEST(Lincomb, C7_RefusesAZeroPointThatLeaves64Bits) {
  const auto with_zero = [](int64_t zero_out) {
    return LabelOf(Combine({Values({1}, {0})}, {.multipliers = {0},
                                                .zero_points = {0},
                                                .bias = (int64_t{1} << 30) - kI64Max,
                                                .zero_out = zero_out}));
  };
  EXPECT_EQ(with_zero(-(int64_t{1} << 30) - 1), "");
  EXPECT_EQ(with_zero(-(int64_t{1} << 30) - 2), "lincomb_c7");
}

}  // namespace
}  // namespace tally
