#include <gtest/gtest.h>

#include "ops/linear/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

OpCase Case(TestOperand a, TestOperand b, const MatmulAttrs& attrs = {}) {
  return {.op = Opcode::kMatmul, .operands = {std::move(a), std::move(b)}, .attributes = Pack(attrs)};
}

TEST(Matmul, EveryTranspositionGivesTheSameProduct) {
  const std::vector<int64_t> expected = {1 + 20 + 300, 4 + 50 + 600, 1 - 2 + 3, 4 - 5 + 6};
  const TestOperand a = Values({2, 3}, {1, 10, 100, 1, -1, 1}), a_t = Values({3, 2}, {1, 1, 10, -1, 100, 1});
  const TestOperand b = Values({3, 2}, {1, 4, 2, 5, 3, 6}), b_t = Values({2, 3}, {1, 2, 3, 4, 5, 6});
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      const auto y = RunOp(Case(transpose_a ? a_t : a, transpose_b ? b_t : b, {transpose_a, transpose_b}));
      ASSERT_TRUE(y.ok()) << y.status();
      EXPECT_EQ(y->types[0].shape.ToString(), "[2,2]");
      EXPECT_EQ(y->values[0], expected) << transpose_a << transpose_b;
      EXPECT_EQ(y->gas, 6 + 16 * 6 + 512 + 20 * 2 * 16 * (3 + 16));
    }
  }
}

TEST(Matmul, BatchAxesBroadcast) {
  const auto y = RunOp(Case(Values({2, 1, 1, 2}, {1, 2, 3, 4}), Values({3, 2, 1}, {1, 0, 0, 1, 10, 100})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].shape.ToString(), "[2,3,1,1]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1, 2, 210, 3, 4, 430}));
}

TEST(Matmul, ATransposedOperandOfOneRowStepsOverItsBatch) {
  const auto y =
      RunOp(Case(Values({2, 1, 3}, {1, 2, 3, 4, 5, 6}), Values({2, 2, 1}, {1, -1, 10, -10}), {true, true}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].shape.ToString(), "[2,3,2]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1, -1, 2, -2, 3, -3, 40, -40, 50, -50, 60, -60}));
}

TEST(Matmul, AConstantRightOperandGivesExactBoundsPerColumn) {
  const TestOperand a = Values({1, 2}, {0, 0}, {-1, 10});
  for (const bool transpose : {false, true}) {
    const TestOperand b = transpose ? Constant({2, 2}, {1, 1, 5, -5}) : Constant({2, 2}, {1, 5, 1, -5});
    const auto y = RunOp(Case(a, b, {.transpose_b = transpose}));
    ASSERT_TRUE(y.ok()) << y.status();
    // columns (1, 1) in [-2, 20] and (5, -5) in [-55, 55]
    EXPECT_EQ(y->types[0].interval, (Interval{-55, 55}));
    EXPECT_EQ(y->accumulator, (Interval{-55, 55}));
  }
}

TEST(Matmul, AConstantLeftOperandGivesExactBoundsPerRow) {
  const TestOperand b = Values({2, 1}, {0, 0}, {-1, 10});
  for (const bool transpose : {false, true}) {
    const TestOperand a = transpose ? Constant({2, 2}, {1, 5, 1, -5}) : Constant({2, 2}, {1, 1, 5, -5});
    const auto y = RunOp(Case(a, b, {.transpose_a = transpose}));
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y->types[0].interval, (Interval{-55, 55}));
  }
}

TEST(Matmul, ZeroPointsAreSubtractedFromValuesAndBounds) {
  const auto y =
      RunOp(Case(Values({1, 2}, {3, 9}, {0, 9}), Constant({2, 1}, {7, 4}), {.zero_a = 4, .zero_b = 5}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-1 * 2 + 5 * -1}));
  EXPECT_EQ(y->types[0].interval, (Interval{-4 * 2 - 5, 5 * 2 + 4}));
}

TEST(Matmul, EveryBatchOfAConstantCounts) {
  const auto y = RunOp(Case(Values({1, 1}, {0}, {0, 9}), Constant({3, 1, 1}, {1, -2, 3})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].interval, (Interval{-18, 27}));
}

TEST(Matmul, VariableOperandsGiveTermsTimesTheirCorners) {
  const auto y = RunOp(Case(Values({1, 3}, {1, 1, 1}, {1, 2}), Values({3, 1}, {3, 3, 3}, {3, 4})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].interval, (Interval{9, 24}));
  EXPECT_EQ(y->accumulator, (Interval{0, 24}));
}

TEST(Matmul, RefusesSumsThatLeaveTheirRange) {
  const int64_t half = int64_t{1} << 31;
  EXPECT_EQ(LabelOf(Case(Values({1, 1}, {0}, {-half, half}), Values({1, 1}, {0}, {-half, half - 1}))),
            "value_range");
  EXPECT_EQ(LabelOf(Case(Values({1, 2}, {0, 0}, {-half, half}), Values({2, 1}, {0, 0}, {-half, half}))),
            "accumulator_range");
}

TEST(Matmul, C1_RefusesVectors) {
  EXPECT_EQ(LabelOf(Case(Values({2}, {0, 0}), Values({2, 1}, {0, 0}))), "matmul_c1");
  EXPECT_EQ(LabelOf(Case(Values({1, 2}, {0, 0}), Values({}, {0}))), "matmul_c1");
}

TEST(Matmul, C2_RefusesRowsThatDoNotMatchColumns) {
  EXPECT_EQ(LabelOf(Case(Values({1, 2}, {0, 0}), Values({1, 2}, {0, 0}))), "matmul_c2");
  EXPECT_EQ(LabelOf(Case(Values({1, 2}, {0, 0}), Values({2, 1}, {0, 0}), {.transpose_a = true})),
            "matmul_c2");
}

TEST(Matmul, C4_RefusesZerosThatLeave64Bits) {
  const TestOperand one = Values({1, 1}, {0});
  EXPECT_EQ(LabelOf(Case(Constant({1, 1}, {INT64_MIN}), one, {.zero_a = 1})), "matmul_c4");
  EXPECT_EQ(LabelOf(Case(one, Constant({1, 1}, {INT64_MAX}), {.zero_b = -1})), "matmul_c4");
}

TEST(Matmul, C3_RefusesBatchesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOf(Case(Values({2, 1, 1}, {0, 0}), Values({3, 1, 1}, {0, 0, 0}))), "matmul_c3");
}

}  // namespace
}  // namespace tally
