#include <gtest/gtest.h>

#include "ops/image/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase Resample(TestOperand x, TestOperand index, TestOperand weight, int64_t axis = 0) {
  return {.op = Opcode::kResample,
          .operands = {std::move(x), std::move(index), std::move(weight)},
          .attributes = Pack(ResampleAttrs{axis})};
}

TEST(Resample, SumsWeightedTapsAlongAnAxis) {
  const auto y = RunOp(Resample(Values({2, 3}, {1, 2, 3, 10, 20, 30}), Constant({2, 2}, {0, 1, 2, 2}),
                                Constant({2, 2}, {3, 1, 1, 3}), -1));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{5, 12, 50, 120}));
  EXPECT_EQ(y->types[0].ToString(), "[2,2] in [4, 120]");
  EXPECT_EQ(y->gas, 4 * (5 * 2 + 20) + 160 * 2 + 1024);
}

// Each end is reached by some x, for every row of weights in [-2, 2] on two pixels, taps doubled or not.
TEST(Resample, TheIntervalIsTight) {
  for (int64_t a = -2; a <= 2; ++a) {
    for (int64_t b = -2; b <= 2; ++b) {
      const TestOperand index = Constant({1, 3}, {0, 1, 0}), weight = Constant({1, 3}, {a, b, 1});
      const auto bounds = RunOp(Resample(Values({2}, {0, 0}, {-3, 5}), index, weight))->types[0].interval;
      Interval reached = {INT64_MAX, INT64_MIN};
      for (const int64_t x0 : {-3, 5}) {
        for (const int64_t x1 : {-3, 5}) {
          const int64_t y = RunOp(Resample(Values({2}, {x0, x1}, {-3, 5}), index, weight))->values[0][0];
          reached = {std::min(reached.lo, y), std::max(reached.hi, y)};
        }
      }
      EXPECT_EQ(bounds, reached) << a << ' ' << b;
    }
  }
}

TEST(Resample, TheAccumulatorHoldsEveryOrderOfTaps) {
  const auto y =
      RunOp(Resample(Values({1}, {0}, {-1, 2}), Constant({1, 2}, {0, 0}), Constant({1, 2}, {10, -10})));
  EXPECT_EQ(y->accumulator, (Interval{-30, 30}));
  EXPECT_EQ(y->types[0].interval, (Interval{0, 0}));
}

const TestOperand kX = Values({2}, {1, 2});
const TestOperand kZero = Constant({1, 1}, {0});

TEST(Resample, C1_RefusesAxesThatDoNotExist) {
  EXPECT_EQ(LabelOf(Resample(kX, kZero, kZero, 1)), "resample_c1");
  EXPECT_EQ(LabelOf(Resample(Values({}, {1}), kZero, kZero, 0)), "resample_c1");
}

TEST(Resample, C2_RefusesComputedTables) {
  EXPECT_EQ(LabelOf(Resample(kX, Values({1, 1}, {0}), kZero)), "resample_c2");
  EXPECT_EQ(LabelOf(Resample(kX, kZero, Values({1, 1}, {0}))), "resample_c2");
}

TEST(Resample, C3_RefusesTablesOfOtherShapes) {
  EXPECT_EQ(LabelOf(Resample(kX, Constant({1}, {0}), Constant({1}, {0}))), "resample_c3");
  EXPECT_EQ(LabelOf(Resample(kX, Constant({1, 2}, {0, 0}), Constant({2, 1}, {0, 0}))), "resample_c3");
}

TEST(Resample, C4_RefusesIndicesOutsideTheAxis) {
  EXPECT_EQ(LabelOf(Resample(kX, Constant({1, 1}, {2}), kZero)), "resample_c4");
  EXPECT_EQ(LabelOf(Resample(kX, Constant({1, 1}, {-1}), kZero)), "resample_c4");
}

TEST(Resample, RefusesSumsThatMayLeaveTheLimits) {
  EXPECT_EQ(LabelOf(Resample(Values({1}, {int64_t{1} << 46}), kZero, Constant({1, 1}, {2}))), "value_range");
  EXPECT_EQ(LabelOf(Resample(Constant({1}, {INT64_MIN}), kZero, Constant({1, 1}, {INT64_MIN}))),
            "accumulator_range");
}

}  // namespace
}  // namespace tally
