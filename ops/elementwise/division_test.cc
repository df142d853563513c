#include <gtest/gtest.h>

#include "ops/elementwise/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kElementLo = -(int64_t{1} << 47);

OpCase DivideOf(Rounding rounding, TestOperand a, TestOperand b) {
  return {.op = Opcode::kDivide,
          .operands = {std::move(a), std::move(b)},
          .attributes = Pack(DivideAttrs{rounding})};
}

OpCase ModuloOf(Remainder rounding, TestOperand a, TestOperand b) {
  return {.op = Opcode::kModulo,
          .operands = {std::move(a), std::move(b)},
          .attributes = Pack(ModuloAttrs{rounding})};
}

TEST(Divide, RoundsInFiveModes) {
  const auto values = [](Rounding rounding) {
    return RunOp(DivideOf(rounding, Values({6}, {7, -7, 7, -7, 5, 0}), Values({6}, {2, 2, -2, -2, 0, 0})))
        ->values[0];
  };
  EXPECT_EQ(values(Rounding::kTrunc), (Ints{3, -3, -3, 3, 0, 0}));
  EXPECT_EQ(values(Rounding::kFloor), (Ints{3, -4, -4, 3, 0, 0}));
  EXPECT_EQ(values(Rounding::kHalfUp), (Ints{4, -3, -3, 4, 0, 0}));
  EXPECT_EQ(values(Rounding::kHalfAway), (Ints{4, -4, -4, 4, 0, 0}));
  EXPECT_EQ(values(Rounding::kHalfEven), (Ints{4, -4, -4, 4, 0, 0}));
}

TEST(Divide, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOf(DivideOf(Rounding::kTrunc, Values({2}, {0, 0}), Values({3}, {1, 1, 1}))), "divide_c1");
}

TEST(Divide, C2_RefusesModeDouble) {
  EXPECT_EQ(LabelOf(DivideOf(Rounding::kDouble, Values({1}, {1}), Values({1}, {1}))), "divide_c2");
}

TEST(Divide, C3_RefusesWideConstantsThatAreRounded) {
  const TestOperand one = Values({1}, {1}), wide = Constant({1}, {INT64_MIN});
  EXPECT_EQ(LabelOf(DivideOf(Rounding::kFloor, wide, one)), "divide_c3");
  EXPECT_EQ(LabelOf(DivideOf(Rounding::kHalfUp, one, wide)), "divide_c3");
  EXPECT_EQ(RunOp(DivideOf(Rounding::kTrunc, wide, wide))->values[0], (Ints{1}));
  EXPECT_EQ(LabelOf(DivideOf(Rounding::kTrunc, wide, Values({1}, {-1}))), "value_range");
}

TEST(Divide, RefusesAQuotientBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOf(DivideOf(Rounding::kHalfAway, Values({1}, {kElementLo}), Values({1}, {-1}))),
            "value_range");
}

TEST(Modulo, HasTheSignOfTheDividendOrOfTheDivisor) {
  const auto values = [](Remainder rounding) {
    return RunOp(ModuloOf(rounding, Values({5}, {7, -7, 7, -7, 5}), Values({5}, {3, 3, -3, -3, 0})))
        ->values[0];
  };
  EXPECT_EQ(values(Remainder::kTrunc), (Ints{1, -1, 1, -1, 0}));
  EXPECT_EQ(values(Remainder::kFloor), (Ints{1, 2, -2, -1, 0}));
}

TEST(Modulo, KnowsWhereAllQuotientsAgree) {
  const auto y = RunOp(ModuloOf(Remainder::kFloor, Values({1}, {-3}, {-3, -1}), Values({1}, {10}, {10, 20})));
  EXPECT_EQ(y->types[0].interval, (Interval{7, 19}));
}

TEST(Modulo, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOf(ModuloOf(Remainder::kTrunc, Values({2}, {0, 0}), Values({3}, {1, 1, 1}))), "modulo_c1");
}

TEST(Modulo, C2_RefusesWideConstants) {
  const TestOperand one = Values({1}, {1}), wide = Constant({1}, {kElementLo - 1});
  EXPECT_EQ(LabelOf(ModuloOf(Remainder::kTrunc, wide, one)), "modulo_c2");
  EXPECT_EQ(LabelOf(ModuloOf(Remainder::kFloor, one, wide)), "modulo_c2");
}

}  // namespace
}  // namespace tally
