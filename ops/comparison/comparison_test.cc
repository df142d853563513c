#include <gtest/gtest.h>

#include "ops/comparison/attrs.h"
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
  EXPECT_EQ(y->gas, 320 + 14 * 6);
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
  EXPECT_EQ(y->gas, 320 + 14 * 4);
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

TEST(Where, IntervalKnowsAConditionThatIsDecided) {
  const auto interval = [](Interval cond) {
    return RunOp(Where(Values({1}, {cond.lo}, cond), Values({1}, {1}), Values({1}, {9})))->types[0].interval;
  };
  EXPECT_EQ(interval({1, 5}), (Interval{1, 1}));
  EXPECT_EQ(interval({0, 0}), (Interval{9, 9}));
  EXPECT_EQ(interval({0, 1}), (Interval{1, 9}));
}

OpCase CompareOf(Comparison kind, TestOperand a, TestOperand b) {
  return {.op = Opcode::kCompare,
          .operands = {std::move(a), std::move(b)},
          .attributes = Pack(CompareAttrs{kind})};
}

TEST(Compare, HasSixKinds) {
  const auto values = [](Comparison kind) {
    return RunOp(CompareOf(kind, Values({3}, {1, 2, 3}), Values({}, {2})))->values[0];
  };
  using Ints = std::vector<int64_t>;
  EXPECT_EQ(values(Comparison::kEqual), (Ints{0, 1, 0}));
  EXPECT_EQ(values(Comparison::kNotEqual), (Ints{1, 0, 1}));
  EXPECT_EQ(values(Comparison::kLess), (Ints{1, 0, 0}));
  EXPECT_EQ(values(Comparison::kLessEqual), (Ints{1, 1, 0}));
  EXPECT_EQ(values(Comparison::kGreater), (Ints{0, 0, 1}));
  EXPECT_EQ(values(Comparison::kGreaterEqual), (Ints{0, 1, 1}));
}

TEST(Compare, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOf(CompareOf(Comparison::kLess, Values({2}, {0, 0}), Values({3}, {0, 0, 0}))), "compare_c1");
}

OpCase SelectOf(TestOperand cond, TestOperand x, TestOperand y) {
  return {.op = Opcode::kSelect, .operands = {std::move(cond), std::move(x), std::move(y)}};
}

TEST(Select, BroadcastsAllThree) {
  const auto r = RunOp(SelectOf(Values({2, 1}, {-7, 0}), Values({2}, {1, 2}), Values({}, {5})));
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(r->types[0].ToString(), "[2,2] in [1, 5]");
  EXPECT_EQ(r->values[0], (std::vector<int64_t>{1, 2, 5, 5}));
  EXPECT_EQ(r->gas, 640 + 24 * 4);
}

TEST(Select, IntervalKnowsAConditionThatIsDecided) {
  const auto interval = [](Interval cond) {
    return RunOp(SelectOf(Values({1}, {cond.lo}, cond), Values({1}, {1}), Values({1}, {9})))
        ->types[0]
        .interval;
  };
  EXPECT_EQ(interval({-5, -1}), (Interval{1, 1}));
  EXPECT_EQ(interval({0, 0}), (Interval{9, 9}));
  EXPECT_EQ(interval({-1, 0}), (Interval{1, 9}));
}

TEST(Select, C1_RefusesShapesThatDoNotBroadcast) {
  const TestOperand one = Values({1}, {0}), two = Values({2}, {0, 1}), three = Values({3}, {0, 1, 2});
  EXPECT_EQ(LabelOf(SelectOf(one, two, three)), "select_c1");
  EXPECT_EQ(LabelOf(SelectOf(two, three, three)), "select_c1");
  EXPECT_EQ(LabelOf(SelectOf(two, one, three)), "select_c1");
}

}  // namespace
}  // namespace tally
