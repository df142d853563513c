#include <gtest/gtest.h>

#include <algorithm>

#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

constexpr int64_t kCvmMax = (int64_t{1} << 31) - 1;
constexpr int64_t kElementLo = -(int64_t{1} << 47), kElementHi = (int64_t{1} << 47) - 1;
constexpr Opcode kAllBroadcasts[] = {Opcode::kBroadcastAdd, Opcode::kBroadcastSub, Opcode::kBroadcastMul,
                                     Opcode::kBroadcastDiv, Opcode::kBroadcastMax, Opcode::kBroadcastMin};

OpCase Binary(Opcode op, TestOperand a, TestOperand b, Profile profile = Profile::kCore) {
  return {.op = op, .profile = profile, .operands = {std::move(a), std::move(b)}};
}

std::vector<int64_t> ValuesOf(Opcode op, std::vector<int64_t> a, std::vector<int64_t> b) {
  const int64_t n = static_cast<int64_t>(a.size());
  const Shape shape = *Shape::Create({n});
  return RunOp(Binary(op, {*Tensor::FromValues(shape, a)}, {*Tensor::FromValues(shape, b)}))->values[0];
}

// The refusal of every broadcast operator for shapes [2] and [3].
std::string LabelOfMisfit(Opcode op) {
  return LabelOf(Binary(op, Values({2}, {0, 0}), Values({3}, {0, 0, 0})));
}

TEST(BroadcastAdd, AlignsShapesAtTheRight) {
  const auto y = RunOp(Binary(Opcode::kBroadcastAdd, Values({2, 1}, {10, 20}), Values({3}, {1, 2, 3})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,3] in [11, 23]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(y->gas, 320 + 14 * 6);
}

TEST(BroadcastAdd, TakesScalarsAndInnerDimsOf1) {
  const auto y =
      RunOp(Binary(Opcode::kBroadcastAdd, Values({2, 1, 2}, {1, 2, 3, 4}), Values({1, 2, 1}, {10, 20})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{11, 12, 21, 22, 13, 14, 23, 24}));
  EXPECT_EQ(RunOp(Binary(Opcode::kBroadcastAdd, Values({}, {1}), Values({2}, {2, 3})))->values[0],
            (std::vector<int64_t>{3, 4}));
}

TEST(BroadcastAdd, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOfMisfit(Opcode::kBroadcastAdd), "broadcast_add_c1");
}

TEST(BroadcastSub, Subtracts) {
  EXPECT_EQ(ValuesOf(Opcode::kBroadcastSub, {5, -5, 0}, {7, -7, 3}), (std::vector<int64_t>{-2, 2, -3}));
}

TEST(BroadcastSub, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOfMisfit(Opcode::kBroadcastSub), "broadcast_sub_c1");
}

TEST(BroadcastMul, Multiplies) {
  EXPECT_EQ(ValuesOf(Opcode::kBroadcastMul, {5, -5, 0}, {7, 7, -3}), (std::vector<int64_t>{35, -35, 0}));
}

TEST(BroadcastMul, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOfMisfit(Opcode::kBroadcastMul), "broadcast_mul_c1");
}

TEST(BroadcastDiv, TruncatesTowardZeroAndDefinesDivisionByZero) {
  EXPECT_EQ(ValuesOf(Opcode::kBroadcastDiv, {7, -7, 7, -7, 7, 0}, {2, 2, -2, -2, 0, 0}),
            (std::vector<int64_t>{3, -3, -3, 3, 0, 0}));
}

TEST(BroadcastDiv, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOfMisfit(Opcode::kBroadcastDiv), "broadcast_div_c1");
}

TEST(BroadcastMax, TakesTheLarger) {
  EXPECT_EQ(ValuesOf(Opcode::kBroadcastMax, {5, -5, 0}, {-7, -3, 0}), (std::vector<int64_t>{5, -3, 0}));
}

TEST(BroadcastMax, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOfMisfit(Opcode::kBroadcastMax), "broadcast_max_c1");
}

TEST(BroadcastMin, TakesTheSmaller) {
  EXPECT_EQ(ValuesOf(Opcode::kBroadcastMin, {5, -5, 0}, {-7, -3, 0}), (std::vector<int64_t>{-7, -5, 0}));
}

TEST(BroadcastMin, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOfMisfit(Opcode::kBroadcastMin), "broadcast_min_c1");
}

// All pairs of intervals within [-4, 4], each tensor holding every value of its interval.
TEST(Broadcast, IntervalsAreExact) {
  std::vector<Interval> intervals;
  for (int64_t lo = -4; lo <= 4; ++lo) {
    for (int64_t hi = lo; hi <= 4; ++hi) intervals.push_back({lo, hi});
  }
  const auto all_of = [](const Interval& i) {
    std::vector<int64_t> values;
    for (int64_t v = i.lo; v <= i.hi; ++v) values.push_back(v);
    return values;
  };
  for (const Opcode op : kAllBroadcasts) {
    for (const Interval& a : intervals) {
      for (const Interval& b : intervals) {
        const auto column = *Tensor::FromValues(*Shape::Create({a.hi - a.lo + 1, 1}), all_of(a));
        const auto row = *Tensor::FromValues(*Shape::Create({b.hi - b.lo + 1}), all_of(b));
        const auto y = RunOp(Binary(op, {column}, {row}));
        ASSERT_TRUE(y.ok()) << y.status();
        const auto [lo, hi] = std::minmax_element(y->values[0].begin(), y->values[0].end());
        ASSERT_EQ(y->types[0].interval, (Interval{*lo, *hi}))
            << InfoOf(op).name << " of " << a.ToString() << " and " << b.ToString();
      }
    }
  }
}

TEST(Broadcast, RefusesResultsBeyondTheTensorLimit) {
  const TestOperand high = Values({1}, {kElementHi}), low = Values({1}, {kElementLo}), one = Values({1}, {1});
  const TestOperand minus_one = Values({1}, {-1});
  EXPECT_EQ(LabelOf(Binary(Opcode::kBroadcastAdd, high, one)), "value_range");
  EXPECT_EQ(LabelOf(Binary(Opcode::kBroadcastSub, low, one)), "value_range");
  EXPECT_EQ(LabelOf(Binary(Opcode::kBroadcastMul, high, high)), "value_range");
  EXPECT_EQ(LabelOf(Binary(Opcode::kBroadcastDiv, low, minus_one)), "value_range");
  EXPECT_EQ(LabelOf(Binary(Opcode::kBroadcastDiv, high, minus_one)), "");
  const TestOperand cvm_high = Values({1}, {kCvmMax});
  EXPECT_EQ(LabelOf(Binary(Opcode::kBroadcastAdd, cvm_high, one, Profile::kCvm)), "value_range");
  EXPECT_EQ(LabelOf(Binary(Opcode::kBroadcastDiv, cvm_high, minus_one, Profile::kCvm)), "");
}

TEST(Broadcast, PublishesThePrecisionsOfCvm) {
  const TestOperand p8 = Values({1}, {0}, {-127, 127}), p5 = Values({1}, {0}, {-15, 15});
  const auto precision = [&](Opcode op) { return RunOp(Binary(op, p8, p5, Profile::kCvm))->precisions; };
  EXPECT_EQ(precision(Opcode::kBroadcastAdd), (std::vector<int>{9}));
  EXPECT_EQ(precision(Opcode::kBroadcastSub), (std::vector<int>{9}));
  EXPECT_EQ(precision(Opcode::kBroadcastMul), (std::vector<int>{13}));
  EXPECT_EQ(precision(Opcode::kBroadcastDiv), (std::vector<int>{8}));
  EXPECT_EQ(precision(Opcode::kBroadcastMax), (std::vector<int>{8}));
}

}  // namespace
}  // namespace tally
