#include <gtest/gtest.h>

#include "ops/reduction/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

OpCase SumCase(TestOperand x, const CvmReduceAttrs& attrs = {}, Profile profile = Profile::kCore) {
  return {.op = Opcode::kSum, .profile = profile, .operands = {std::move(x)}, .attributes = Pack(attrs)};
}
OpCase MaxCase(TestOperand x, const CvmReduceAttrs& attrs = {}, Profile profile = Profile::kCore) {
  return {.op = Opcode::kMax, .profile = profile, .operands = {std::move(x)}, .attributes = Pack(attrs)};
}
OpCase ReduceCase(TestOperand x, const ReduceAttrs& attrs) {
  return {.op = Opcode::kReduce, .operands = {std::move(x)}, .attributes = Pack(attrs)};
}
OpCase ArgmaxCase(TestOperand x, const ArgmaxAttrs& attrs) {
  return {.op = Opcode::kArgmax, .operands = {std::move(x)}, .attributes = Pack(attrs)};
}

// [2, 3, 2] with elements 1 .. 12
const TestOperand kCube = Values({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});

struct ShapeCase {
  CvmReduceAttrs attrs;
  std::string shape;
  std::vector<int64_t> sums;
};

TEST(Sum, FollowsTheAxisRules) {
  const ShapeCase cases[] = {
      {{.axis = {1}}, "[2,2]", {9, 12, 27, 30}},
      {{.axis = {-2}}, "[2,2]", {9, 12, 27, 30}},
      {{.axis = {1}, .keepdims = true}, "[2,1,2]", {9, 12, 27, 30}},
      {{.axis = {2, 0}}, "[3]", {18, 26, 34}},
      {{.axis = {1}, .exclude = true}, "[3]", {18, 26, 34}},
      {{.axis = {1}, .keepdims = true, .exclude = true}, "[1,3,1]", {18, 26, 34}},
      {{.axis = {0, 1, 2}}, "[1]", {78}},
      {{.axis = {0, 1, 2}, .keepdims = true}, "[1,1,1]", {78}},
      {{}, "[1]", {78}},
      {{.exclude = true}, "[1]", {78}},  // no axis means all axes, excluded or not
      {{.keepdims = true}, "[1,1,1]", {78}},
      {{.axis = {0, 1, -1}, .exclude = true}, "[2,3,2]", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
  };
  for (const ShapeCase& expected : cases) {
    const auto y = RunOp(SumCase(kCube, expected.attrs));
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y->types[0].shape.ToString(), expected.shape);
    EXPECT_EQ(y->values[0], expected.sums);
    EXPECT_EQ(y->gas, 12);
  }
}

// D7: an implementation that drops axes of one element from one index only sums [6, 15] here.
TEST(Sum, KeepsAxesOfOneElementBehindTheReducedOne) {
  const auto y = RunOp(SumCase(Values({2, 3, 1}, {1, 2, 3, 10, 20, 30}), {.axis = {1}}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].shape.ToString(), "[2,1]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{6, 60}));
}

TEST(Sum, BoundsEveryPartialSum) {
  const auto y = RunOp(SumCase(Values({3}, {4, 4, 2}, {2, 5})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].interval, (Interval{6, 15}));
  EXPECT_EQ(y->accumulator, (Interval{0, 15}));
}

TEST(Sum, PublishesThePrecisionsOfCvm) {
  const auto four = RunOp(SumCase(Values({2, 4}, {7, 7, 7, 7, 7, 7, 7, 7}), {.axis = {1}}, Profile::kCvm));
  ASSERT_TRUE(four.ok()) << four.status();
  EXPECT_EQ(four->precisions, (std::vector<int>{4 + 3}));
  // One element too gains a bit, as published.
  const auto same = RunOp(SumCase(Values({2}, {7, 7}), {.axis = {0}, .exclude = true}, Profile::kCvm));
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ(same->precisions, (std::vector<int>{5}));
}

TEST(Sum, RefusesSumsThatLeaveTheirRange) {
  const int64_t limit = (int64_t{1} << 31) - 1;
  EXPECT_EQ(LabelOf(SumCase(Values({2}, {limit, 0}), {}, Profile::kCvm)), "accumulator_range");
  EXPECT_EQ(LabelOf(SumCase(Values({2}, {limit, 0}))), "");
  const int64_t core = (int64_t{1} << 47) - 1;
  EXPECT_EQ(LabelOf(SumCase(Values({2}, {core, 0}))), "value_range");
}

TEST(Sum, AScalarIsItsOwnSum) {
  const auto y = RunOp(SumCase(Values({}, {-3})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[1] in [-3, -3]");
}

TEST(Sum, C1_RefusesAxesOutsideTheRank) {
  EXPECT_EQ(LabelOf(SumCase(kCube, {.axis = {3}})), "sum_c1");
  EXPECT_EQ(LabelOf(SumCase(kCube, {.axis = {0, -4}})), "sum_c1");
  EXPECT_EQ(LabelOf(SumCase(kCube, {.axis = {1, 1, 3}})), "sum_c1");
  EXPECT_EQ(LabelOf(SumCase(Values({}, {0}), {.axis = {0}})), "sum_c1");
}

TEST(Sum, C2_RefusesAnAxisListedTwice) { EXPECT_EQ(LabelOf(SumCase(kCube, {.axis = {1, -2}})), "sum_c2"); }

// D8: an accumulator that starts from 0 answers 0 for negative tensors.
TEST(Max, StartsFromTheFirstElement) {
  for (const CvmReduceAttrs& attrs : {CvmReduceAttrs{}, CvmReduceAttrs{.axis = {0}}}) {
    const auto y = RunOp(MaxCase(Values({3}, {-7, -5, -9}), attrs));
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y->types[0].ToString(), "[1] in [-9, -5]");
    EXPECT_EQ(y->values[0], (std::vector<int64_t>{-5}));
  }
}

TEST(Max, FollowsTheAxisRules) {
  const auto y = RunOp(MaxCase(kCube, {.axis = {0, 2}, .keepdims = true}, Profile::kCvm));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[1,3,1] in [1, 12]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{8, 10, 12}));
  EXPECT_EQ(y->precisions, (std::vector<int>{5}));
  EXPECT_EQ(y->gas, 12);
}

TEST(Max, C1_RefusesAxesOutsideTheRank) { EXPECT_EQ(LabelOf(MaxCase(kCube, {.axis = {-4}})), "max_c1"); }

TEST(Max, C2_RefusesAnAxisListedTwice) { EXPECT_EQ(LabelOf(MaxCase(kCube, {.axis = {0, 0}})), "max_c2"); }

TEST(Reduce, HasThreeKinds) {
  const TestOperand x = Values({2, 3}, {3, -4, 5, -6, 7, -8});
  const std::pair<ReduceKind, std::vector<int64_t>> cases[] = {
      {ReduceKind::kSum, {-3, 3, -3}}, {ReduceKind::kMax, {3, 7, 5}}, {ReduceKind::kMin, {-6, -4, -8}}};
  for (const auto& [kind, expected] : cases) {
    const auto y = RunOp(ReduceCase(x, {.kind = kind, .axes = {0}}));
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y->types[0].shape.ToString(), "[3]");
    EXPECT_EQ(y->values[0], expected);
    EXPECT_EQ(y->types[0].interval, kind == ReduceKind::kSum ? (Interval{-16, 14}) : (Interval{-8, 7}));
    EXPECT_EQ(y->accumulator, kind == ReduceKind::kSum ? (Interval{-16, 14}) : (Interval{0, 0}));
    EXPECT_EQ(y->gas, 6);
  }
}

TEST(Reduce, ACompleteReductionIsAScalar) {
  for (const std::vector<int64_t>& axes : {std::vector<int64_t>{}, std::vector<int64_t>{0, 1, 2}}) {
    const auto y = RunOp(ReduceCase(kCube, {.axes = axes}));
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y->types[0].ToString(), "[] in [12, 144]");
    EXPECT_EQ(y->values[0], (std::vector<int64_t>{78}));
    EXPECT_EQ(RunOp(ReduceCase(kCube, {.axes = axes, .keepdims = true}))->types[0].shape.ToString(),
              "[1,1,1]");
  }
}

TEST(Reduce, C1_RefusesAxesOutsideTheRank) {
  EXPECT_EQ(LabelOf(ReduceCase(kCube, {.axes = {3}})), "reduce_c1");
}

TEST(Reduce, C2_RefusesAnAxisListedTwice) {
  EXPECT_EQ(LabelOf(ReduceCase(kCube, {.axes = {-1, 2}})), "reduce_c2");
}

TEST(Argmax, TiesGoToTheLowestPosition) {
  const auto y = RunOp(ArgmaxCase(Values({3, 4}, {1, 9, 9, 0, -5, -5, -5, -5, -3, -2, -3, -1}), {.axis = 1}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[3] in [0, 3]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1, 0, 3}));
  EXPECT_EQ(y->gas, 12);
}

TEST(Argmax, WorksAlongAnyAxis) {
  const TestOperand x = Values({2, 2, 2}, {1, 8, 3, 4, 5, 6, 7, 2});
  EXPECT_EQ(RunOp(ArgmaxCase(x, {.axis = 0}))->values[0], (std::vector<int64_t>{1, 0, 1, 0}));
  const auto kept = RunOp(ArgmaxCase(x, {.axis = -2, .keepdims = true}));
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(kept->types[0].ToString(), "[2,1,2] in [0, 1]");
  EXPECT_EQ(kept->values[0], (std::vector<int64_t>{1, 0, 1, 0}));
}

TEST(Argmax, OfAVectorIsAScalar) {
  const auto y = RunOp(ArgmaxCase(Values({3}, {4, 6, 5}), {.axis = 0}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[] in [0, 2]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1}));
}

// D19: eight-bit casts would make 255 a -1 and the two last values equal to 1 and 0.
TEST(Argmax, ComparesWholeValues) {
  const int64_t high = int64_t{1} << 40;
  EXPECT_EQ(RunOp(ArgmaxCase(Values({4}, {0, 255, high + 1, high}), {}))->values[0],
            (std::vector<int64_t>{2}));
}

TEST(Argmax, C1_RefusesAnAxisOutsideTheRank) {
  EXPECT_EQ(LabelOf(ArgmaxCase(kCube, {.axis = 3})), "argmax_c1");
  EXPECT_EQ(LabelOf(ArgmaxCase(Values({}, {1}), {.axis = 0})), "argmax_c1");
}

}  // namespace
}  // namespace tally
