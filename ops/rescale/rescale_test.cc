#include "base/rescale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "ops/rescale/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

constexpr int64_t kI8Lo = -128, kI8Hi = 127;
constexpr int64_t kElementLo = -(int64_t{1} << 47), kElementHi = (int64_t{1} << 47) - 1;
constexpr int64_t kI64Max = std::numeric_limits<int64_t>::max();

// One channel.
OpCase PerTensor(TestOperand x, int64_t m, int64_t b, int64_t s, RescaleAttrs attrs) {
  return {.op = Opcode::kRescale,
          .operands = {std::move(x), Constant({1}, {m}), Constant({1}, {b}), Constant({1}, {s})},
          .attributes = Pack(attrs)};
}

TEST(Rescale, RoundsTiesAsTheModeSays) {
  // 5/2, 3/2, 1/2, -1/2, -3/2, -5/2
  const std::vector<int64_t> x = {5, 3, 1, -1, -3, -5};
  const auto round = [&](Rounding rounding) {
    return RunOp(PerTensor(Values({6}, x), 1, 0, 1, {.lo = kI8Lo, .hi = kI8Hi, .rounding = rounding}))
        ->values[0];
  };
  EXPECT_EQ(round(Rounding::kFloor), (std::vector<int64_t>{2, 1, 0, -1, -2, -3}));
  EXPECT_EQ(round(Rounding::kHalfUp), (std::vector<int64_t>{3, 2, 1, 0, -1, -2}));
  EXPECT_EQ(round(Rounding::kHalfAway), (std::vector<int64_t>{3, 2, 1, -1, -2, -3}));
  EXPECT_EQ(round(Rounding::kHalfEven), (std::vector<int64_t>{2, 2, 0, 0, -2, -2}));
  EXPECT_EQ(round(Rounding::kDouble), (std::vector<int64_t>{3, 2, 1, 0, -1, -2}));
  EXPECT_EQ(round(Rounding::kTrunc), (std::vector<int64_t>{2, 1, 0, 0, -1, -2}));
}

TEST(Rescale, AppliesZeroPointsBiasAndClamp) {
  const auto y = RunOp(PerTensor(Values({4}, {-100, 3, 10, 300}, {-100, 300}), 3, 4, 2,
                                 {.zero_in = 10, .zero_out = -5, .lo = -20, .hi = 50}));
  ASSERT_TRUE(y.ok()) << y.status();
  // -326/4, -17/4, 4/4, 874/4, each minus 5
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-20, -9, -4, 50}));
  EXPECT_EQ(y->types[0].ToString(), "[4] in [-20, 50]");
  EXPECT_EQ(y->gas, 88 * 4 + 56 * 1);
}

TEST(Rescale, ChannelsLieOnTheAxis) {
  const OpCase test = {
      .op = Opcode::kRescale,
      .operands = {Values({2, 3, 2}, {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}), Constant({3}, {1, 10, -100}),
                   Constant({3}, {0, 1, 2}), Constant({3}, {0, 0, 1})},
      .attributes = Pack(RescaleAttrs{.axis = -2, .lo = -1000, .hi = 1000, .rounding = Rounding::kFloor})};
  const auto y = RunOp(test);
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1, 1, 11, 11, -49, -49, 2, 2, 21, 21, -99, -99}));
  EXPECT_EQ(y->types[0].ToString(), "[2,3,2] in [-99, 21]");
}

TEST(Rescale, OneChannelServesAScalarAndIgnoresTheAxis) {
  const auto y = RunOp(PerTensor(Values({}, {7}), 2, 0, 0, {.axis = 5, .lo = 0, .hi = 100}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{14}));
}

// Every combination of small parameters against the extremes over the whole interval of x.
TEST(Rescale, IntervalIsExact) {
  std::vector<int64_t> x;
  for (int64_t v = -13; v <= 9; ++v) x.push_back(v);
  for (const std::string_view name : kRoundingNames) {
    const Rounding rounding = *ParseRounding(name);
    for (const int64_t m : {-7, -1, 0, 1, 5}) {
      for (const int64_t b : {-3, 0, 11}) {
        if (rounding == Rounding::kDouble && (m < 0 || b != 0)) continue;
        for (const int64_t s : {0, 1, 3}) {
          const auto y =
              RunOp(PerTensor(Values({23}, x), m, b, s,
                              {.zero_in = 2, .zero_out = -1, .lo = -60, .hi = 60, .rounding = rounding}));
          ASSERT_TRUE(y.ok()) << y.status();
          const auto [lo, hi] = std::minmax_element(y->values[0].begin(), y->values[0].end());
          EXPECT_EQ(y->types[0].interval, (Interval{*lo, *hi}))
              << name << " m=" << m << " b=" << b << " s=" << s;
        }
      }
    }
  }
}

// Around the step where double's two roundings differ from one: the image of an interval of every length.
TEST(Rescale, IntervalOfDoubleIsExactWhereItsNudgeChangesSign) {
  for (const int64_t s : {31, 32, 33}) {
    for (int64_t lo = -9; lo <= 0; ++lo) {
      std::vector<int64_t> x;
      for (int64_t v = lo; v <= 9; ++v) x.push_back(v);
      const auto y = RunOp(PerTensor({*Tensor::FromValues(*Shape::Create({10 - lo}), x)}, 1610612735, 0, s,
                                     {.lo = kI8Lo, .hi = kI8Hi, .rounding = Rounding::kDouble}));
      ASSERT_TRUE(y.ok()) << y.status();
      const auto [min, max] = std::minmax_element(y->values[0].begin(), y->values[0].end());
      EXPECT_EQ(y->types[0].interval, (Interval{*min, *max})) << "s=" << s << " lo=" << lo;
    }
  }
}

TEST(Rescale, TakesTheWidestValuesWithFifteenBitMultipliers) {
  const auto y = RunOp(PerTensor(Values({2}, {kElementLo, kElementHi}), 32767, 0, 62,
                                 {.lo = kElementLo, .hi = kElementHi, .rounding = Rounding::kHalfAway}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-1, 1}));
}

TEST(Rescale, C1_RefusesAConstantBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOf(PerTensor(Constant({1}, {kElementHi + 1}), 0, 0, 0, {})), "rescale_c1");
}

TEST(Rescale, C2_RefusesParametersThatAreNotConstants) {
  for (int i = 1; i <= 3; ++i) {
    OpCase test = PerTensor(Values({1}, {1}), 1, 0, 0, {});
    test.operands[i].constant = false;
    EXPECT_EQ(LabelOf(test), "rescale_c2") << i;
  }
}

TEST(Rescale, C3_RefusesParametersOfDifferentShapes) {
  OpCase test = PerTensor(Values({2}, {1, 2}), 1, 0, 0, {});
  test.operands[2] = Constant({2}, {0, 0});
  EXPECT_EQ(LabelOf(test), "rescale_c3");
  for (int i = 1; i <= 3; ++i) test.operands[i] = Constant({1, 1}, {0});
  EXPECT_EQ(LabelOf(test), "rescale_c3");
}

TEST(Rescale, C4_RefusesChannelsThatTheAxisLacks) {
  OpCase test = PerTensor(Values({3, 2}, {1, 2, 3, 4, 5, 6}), 1, 0, 0, {.axis = 0});
  for (int i = 1; i <= 3; ++i) test.operands[i] = Constant({2}, {1, 1});
  EXPECT_EQ(LabelOf(test), "rescale_c4");
  test.attributes = Pack(RescaleAttrs{.axis = 1});
  EXPECT_EQ(LabelOf(test), "");
  test.attributes = Pack(RescaleAttrs{.axis = 2});
  EXPECT_EQ(LabelOf(test), "rescale_c4");
}

TEST(Rescale, C5_RefusesAnEmptyClamp) {
  EXPECT_EQ(LabelOf(PerTensor(Values({1}, {1}), 1, 0, 0, {.lo = 1, .hi = 0})), "rescale_c5");
}

TEST(Rescale, C6_RefusesMultipliersOf32BitsAndShiftsBeyond62) {
  const TestOperand x = Values({1}, {1});
  EXPECT_EQ(LabelOf(PerTensor(x, int64_t{1} << 31, 0, 0, {})), "rescale_c6");
  EXPECT_EQ(LabelOf(PerTensor(x, -(int64_t{1} << 31), 0, 0, {})), "rescale_c6");
  EXPECT_EQ(LabelOf(PerTensor(x, (int64_t{1} << 31) - 1, 0, 62, {})), "");
  EXPECT_EQ(LabelOf(PerTensor(x, 1, 0, 63, {})), "rescale_c6");
  EXPECT_EQ(LabelOf(PerTensor(x, 1, 0, -1, {})), "rescale_c6");
}

TEST(Rescale, C7_RefusesDoubleWhereTfliteLeavesItUndefined) {
  EXPECT_EQ(LabelOf(PerTensor(Values({1}, {1}), -1, 0, 0, {.rounding = Rounding::kDouble})), "rescale_c7");
  EXPECT_EQ(LabelOf(PerTensor(Values({1}, {1}), 1, 1, 0, {.rounding = Rounding::kDouble})), "rescale_c7");
}

TEST(Rescale, C8_RefusesProductsThatLeave64Bits) {
  const int64_t largest = kI64Max - (int64_t{1} << 30);  // for |v| * |m| + |b| at shift 0
  const TestOperand x = Values({1}, {3});
  EXPECT_EQ(LabelOf(PerTensor(x, 2, largest - 6, 0, {})), "");
  EXPECT_EQ(LabelOf(PerTensor(x, 2, largest - 5, 0, {})), "rescale_c8");
  EXPECT_EQ(LabelOf(PerTensor(x, -2, 6 - largest, 0, {})), "");
  EXPECT_EQ(LabelOf(PerTensor(x, -2, 5 - largest, 0, {})), "rescale_c8");
  const int64_t half = int64_t{1} << 61;
  EXPECT_EQ(LabelOf(PerTensor(x, 2, largest - 6 - half, 62, {})), "");
  EXPECT_EQ(LabelOf(PerTensor(x, 2, largest - 5 - half, 62, {})), "rescale_c8");
  EXPECT_EQ(LabelOf(PerTensor(x, 2, std::numeric_limits<int64_t>::min(), 1, {})), "rescale_c8");
}

TEST(Rescale, C9_RefusesAZeroPointThatLeaves64Bits) {
  const int64_t b = kI64Max - (int64_t{1} << 30);
  EXPECT_EQ(LabelOf(PerTensor(Values({1}, {0}), 0, b, 0, {.zero_out = int64_t{1} << 30})), "");
  EXPECT_EQ(LabelOf(PerTensor(Values({1}, {0}), 0, b, 0, {.zero_out = (int64_t{1} << 30) + 1})),
            "rescale_c9");
}

TEST(Rescale, ChecksEveryChannel) {
  OpCase test = PerTensor(Values({2}, {1, 2}), 1, 0, 0, {});
  test.operands[1] = Constant({2}, {1, 1});
  test.operands[2] = Constant({2}, {0, kI64Max});
  test.operands[3] = Constant({2}, {0, 0});
  EXPECT_EQ(LabelOf(test), "rescale_c8");
}

}  // namespace
}  // namespace tally
