#include <gtest/gtest.h>

#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

OpCase Greater(TestOperand a, TestOperand b, Profile profile = Profile::kCore) {
  return {.op = Opcode::kBroadcastGreater, .profile = profile, .operands = {std::move(a), std::move(b)}};
}

OpCase Where(TestOperand cond, TestOperand x, TestOperand y, Profile profile = Profile::kCore) {
  return {
      .op = Opcode::kWhere, .profile = profile, .operands = {std::move(cond), std::move(x), std::move(y)}};
}

TEST(BroadcastGreater, IsStrict) {
  const auto y = RunOp(Greater(Values({3, 1}, {1, 2, 3}), Values({2}, {2, -1})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{0, 1, 0, 1, 1, 1}));
  EXPECT_EQ(y->types[0].ToString(), "[3,2] in [0, 1]");
  EXPECT_EQ(y->gas, 6);
}

TEST(BroadcastGreater, IntervalKnowsWhatTheIntervalsDecide) {
  const auto interval = [](Interval a, Interval b) {
    return RunOp(Greater(Values({1}, {a.lo}, a), Values({1}, {b.lo}, b)))->types[0].interval;
  };
  EXPECT_EQ(interval({0, 5}, {5, 9}), (Interval{0, 0}));
  EXPECT_EQ(interval({0, 6}, {5, 9}), (Interval{0, 1}));
  EXPECT_EQ(interval({6, 9}, {0, 5}), (Interval{1, 1}));
  EXPECT_EQ(interval({5, 9}, {0, 5}), (Interval{0, 1}));
}

TEST(BroadcastGreater, PrecisionHoldsTheResult1) {
  EXPECT_EQ(RunOp(Greater(Values({1}, {0}), Values({1}, {-1}), Profile::kCvm))->precisions,
            (std::vector<int>{2}));
  EXPECT_EQ(RunOp(Greater(Values({1}, {100}), Values({1}, {1}), Profile::kCvm))->precisions,
            (std::vector<int>{8}));
}

TEST(BroadcastGreater, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOf(Greater(Values({2}, {0, 0}), Values({3}, {0, 0, 0}))), "broadcast_greater_c1");
}

TEST(Where, SelectsElements) {
  const auto y =
      RunOp(Where(Values({2, 2}, {0, 1, -1, 0}), Values({2, 2}, {1, 2, 3, 4}), Values({2, 2}, {5, 6, 7, 8})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{5, 2, 3, 8}));
  EXPECT_EQ(y->types[0].ToString(), "[2,2] in [1, 8]");
  EXPECT_EQ(y->gas, 4);
}

TEST(Where, SelectsWholeRowsByAList) {
  const auto y = RunOp(Where(Values({3}, {1, 0, 7}), Values({3, 1, 2}, {1, 2, 3, 4, 5, 6}),
                             Values({3, 1, 2}, {-1, -2, -3, -4, -5, -6})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1, 2, -3, -4, 5, 6}));
}

TEST(Where, PrecisionIsThatOfTheSources) {
  const auto y = RunOp(Where(Values({1}, {1}), Values({1}, {1000}), Values({1}, {1}), Profile::kCvm));
  EXPECT_EQ(y->precisions, (std::vector<int>{11}));
}

TEST(Where, C1_RefusesSourcesOfDifferentShapes) {
  EXPECT_EQ(LabelOf(Where(Values({2}, {0, 1}), Values({2}, {0, 1}), Values({2, 1}, {0, 1}))), "where_c1");
}

TEST(Where, C2_RefusesOtherConditions) {
  const TestOperand x = Values({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(LabelOf(Where(Values({3}, {0, 1, 0}), x, x)), "where_c2");
  EXPECT_EQ(LabelOf(Where(Values({2, 1}, {0, 1}), x, x)), "where_c2");
  EXPECT_EQ(LabelOf(Where(Values({1}, {0}), Values({}, {1}), Values({}, {2}))), "where_c2");
  EXPECT_EQ(LabelOf(Where(Values({}, {0}), Values({}, {1}), Values({}, {2}))), "");
}

}  // namespace
}  // namespace tally
