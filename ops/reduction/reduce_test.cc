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
OpCase ArgExtremeCase(TestOperand x, const ArgExtremeAttrs& attrs) {
  return {.op = Opcode::kArgExtreme, .operands = {std::move(x)}, .attributes = Pack(attrs)};
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
    EXPECT_EQ(y->gas, 512 + 28 * 12 + 24 * 6 + 16 * y->types[0].shape.num_elements());
  }
}

// An implementation that drops axes of one element from one index only sums [6, 15] here.
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

// An accumulator that starts from 0 answers 0 for negative tensors.
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
  EXPECT_EQ(y->gas, 512 + 28 * 12 + 24 * 6 + 16 * 3);
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
    EXPECT_EQ(y->gas, 512 + 28 * 6 + 24 * 2 + 16 * 3);
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

TEST(Reduce, Products) {
  const auto y =
      RunOp(ReduceCase(Values({2, 3}, {3, -4, 5, -6, 7, -8}), {.kind = ReduceKind::kProduct, .axes = {1}}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2] in [-512, 448]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-60, 336}));
  EXPECT_EQ(y->gas, 512 + 28 * 6 + 24 * 2 + 16 * 2);
}

// Every interval within [-3, 3] and up to 4 factors: some elements reach both ends, and none passes them.
TEST(Reduce, ProductsHaveTightBounds) {
  for (int64_t lo = -3; lo <= 3; ++lo) {
    for (int64_t hi = lo; hi <= 3; ++hi) {
      for (int64_t n = 1; n <= 4; ++n) {
        int64_t least = INT64_MAX, greatest = INT64_MIN;
        std::vector<int64_t> x(n, lo);
        for (bool more = true; more;) {
          int64_t product = 1;
          for (const int64_t v : x) product *= v;
          least = std::min(least, product);
          greatest = std::max(greatest, product);
          more = false;
          for (int64_t i = 0; i < n && !more; ++i) {
            more = x[i] < hi;
            x[i] = more ? x[i] + 1 : lo;
          }
        }
        const auto y = RunOp(
            ReduceCase(Values({n}, std::vector<int64_t>(n, lo), {lo, hi}), {.kind = ReduceKind::kProduct}));
        ASSERT_TRUE(y.ok()) << y.status();
        ASSERT_EQ(y->types[0].interval, (Interval{least, greatest})) << lo << ' ' << hi << ' ' << n;
      }
    }
  }
}

TEST(Reduce, RefusesProductsThatMayLeave64Bits) {
  const ReduceAttrs product = {.kind = ReduceKind::kProduct};
  EXPECT_EQ(LabelOf(ReduceCase(Values({64}, std::vector<int64_t>(64, 1), {1, 2}), product)),
            "accumulator_range");
  EXPECT_EQ(LabelOf(ReduceCase(Values({62}, std::vector<int64_t>(62, 1), {1, 2}), product)), "value_range");
  EXPECT_EQ(LabelOf(ReduceCase(Values({46}, std::vector<int64_t>(46, 1), {1, 2}), product)), "");
  // Signs alone never grow.
  EXPECT_EQ(LabelOf(ReduceCase(Values({200}, std::vector<int64_t>(200, -1), {-1, 1}), product)), "");
}

TEST(ArgExtreme, HasFourForms) {
  const TestOperand x = Values({7}, {3, 9, 1, 9, 1, 9, 2});
  const auto at = [&](Extreme kind, Ties ties) {
    return RunOp(ArgExtremeCase(x, {.kind = kind, .ties = ties}))->values[0][0];
  };
  EXPECT_EQ(at(Extreme::kMax, Ties::kLowest), 1);
  EXPECT_EQ(at(Extreme::kMax, Ties::kHighest), 5);
  EXPECT_EQ(at(Extreme::kMin, Ties::kLowest), 2);
  EXPECT_EQ(at(Extreme::kMin, Ties::kHighest), 4);
}

TEST(ArgExtreme, TiesGoToTheLowestPosition) {
  const auto y =
      RunOp(ArgExtremeCase(Values({3, 4}, {1, 9, 9, 0, -5, -5, -5, -5, -3, -2, -3, -1}), {.axis = 1}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[3] in [0, 3]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1, 0, 3}));
  EXPECT_EQ(y->gas, 512 + 56 * 12 + 24 * 3 + 16 * 3);
}

TEST(ArgExtreme, WorksAlongAnyAxis) {
  const TestOperand x = Values({2, 2, 2}, {1, 8, 3, 4, 5, 6, 7, 2});
  EXPECT_EQ(RunOp(ArgExtremeCase(x, {.axis = 0}))->values[0], (std::vector<int64_t>{1, 0, 1, 0}));
  const auto kept = RunOp(ArgExtremeCase(x, {.axis = -2, .keepdims = true}));
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(kept->types[0].ToString(), "[2,1,2] in [0, 1]");
  EXPECT_EQ(kept->values[0], (std::vector<int64_t>{1, 0, 1, 0}));
}

TEST(ArgExtreme, OfAVectorIsAScalar) {
  const auto y = RunOp(ArgExtremeCase(Values({3}, {4, 6, 5}), {.axis = 0}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[] in [0, 2]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1}));
}

// Eight-bit casts would make 255 a -1 and the two last values equal to 1 and 0.
TEST(ArgExtreme, ComparesWholeValues) {
  const int64_t high = int64_t{1} << 40;
  EXPECT_EQ(RunOp(ArgExtremeCase(Values({4}, {0, 255, high + 1, high}), {}))->values[0],
            (std::vector<int64_t>{2}));
}

TEST(ArgExtreme, C1_RefusesAnAxisOutsideTheRank) {
  EXPECT_EQ(LabelOf(ArgExtremeCase(kCube, {.axis = 3})), "arg_extreme_c1");
  EXPECT_EQ(LabelOf(ArgExtremeCase(Values({}, {1}), {.axis = 0})), "arg_extreme_c1");
}

}  // namespace
}  // namespace tally
