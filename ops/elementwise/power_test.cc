#include <gtest/gtest.h>

#include "ops/elementwise/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kElementHi = (int64_t{1} << 47) - 1;

OpCase PowerOf(TestOperand a, TestOperand b) {
  return {.op = Opcode::kPower, .operands = {std::move(a), std::move(b)}};
}

OpCase ShiftLeftOf(TestOperand a, TestOperand b) {
  return {.op = Opcode::kShiftLeft, .operands = {std::move(a), std::move(b)}};
}

OpCase ShiftRightOf(Rounding rounding, TestOperand a, TestOperand b) {
  return {.op = Opcode::kShiftRight,
          .operands = {std::move(a), std::move(b)},
          .attributes = Pack(ShiftRightAttrs{rounding})};
}

TEST(Power, MultipliesAsOftenAsTheExponentSays) {
  const auto y = RunOp(PowerOf(Values({3, 1}, {-3, 0, 2}), Values({3}, {0, 2, 3})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{1, 9, -27, 1, 0, 0, 1, 4, 8}));
  EXPECT_EQ(y->gas, 9 * (4 * 3 + 22));
}

TEST(Power, ChargesExponentsOf0AsThoseOf1) {
  EXPECT_EQ(RunOp(PowerOf(Values({2}, {5, 6}), Values({1}, {0})))->gas, 2 * (4 + 22));
}

TEST(Power, ReachesTheTensorLimitAndNoFurther) {
  EXPECT_EQ(LabelOf(PowerOf(Values({1}, {-2}), Values({1}, {47}))), "");
  EXPECT_EQ(LabelOf(PowerOf(Values({1}, {2}), Values({1}, {47}))), "value_range");
  EXPECT_EQ(LabelOf(PowerOf(Values({1}, {kElementHi}), Values({1}, {62}))), "value_range");
  EXPECT_EQ(LabelOf(PowerOf(Constant({1}, {INT64_MIN}), Values({1}, {61}))), "value_range");
}

TEST(Power, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOf(PowerOf(Values({2}, {0, 0}), Values({3}, {1, 1, 1}))), "power_c1");
}

TEST(Power, C2_RefusesExponentsOutside0To62) {
  EXPECT_EQ(LabelOf(PowerOf(Values({1}, {1}), Values({1}, {-1}))), "power_c2");
  EXPECT_EQ(LabelOf(PowerOf(Values({1}, {1}), Values({1}, {63}))), "power_c2");
  EXPECT_EQ(LabelOf(PowerOf(Values({1}, {1}), Values({1}, {62}))), "");
}

TEST(ShiftLeft, MultipliesByPowersOf2) {
  EXPECT_EQ(RunOp(ShiftLeftOf(Values({2, 1}, {3, -3}), Values({2}, {0, 4})))->values[0],
            (Ints{3, 48, -3, -48}));
}

TEST(ShiftLeft, LosesNoBit) {
  EXPECT_EQ(LabelOf(ShiftLeftOf(Values({1}, {1}), Values({1}, {46}))), "");
  EXPECT_EQ(LabelOf(ShiftLeftOf(Values({1}, {1}), Values({1}, {47}))), "value_range");
  EXPECT_EQ(LabelOf(ShiftLeftOf(Values({1}, {0}), Values({1}, {62}))), "");
}

TEST(ShiftLeft, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOf(ShiftLeftOf(Values({2}, {0, 0}), Values({3}, {1, 1, 1}))), "shift_left_c1");
}

TEST(ShiftLeft, C2_RefusesAmountsOutside0To62) {
  EXPECT_EQ(LabelOf(ShiftLeftOf(Values({1}, {0}), Values({1}, {-1}))), "shift_left_c2");
  EXPECT_EQ(LabelOf(ShiftLeftOf(Values({1}, {0}), Values({1}, {0}, {0, 63}))), "shift_left_c2");
}

TEST(ShiftRight, RoundsInFiveModes) {
  const auto values = [](Rounding rounding) {
    return RunOp(ShiftRightOf(rounding, Values({4}, {-5, 5, 6, 7}), Values({4}, {1, 1, 2, 0})))->values[0];
  };
  EXPECT_EQ(values(Rounding::kFloor), (Ints{-3, 2, 1, 7}));
  EXPECT_EQ(values(Rounding::kHalfUp), (Ints{-2, 3, 2, 7}));
  EXPECT_EQ(values(Rounding::kHalfAway), (Ints{-3, 3, 2, 7}));
  EXPECT_EQ(values(Rounding::kHalfEven), (Ints{-2, 2, 2, 7}));
  EXPECT_EQ(values(Rounding::kTrunc), (Ints{-2, 2, 1, 7}));
}

TEST(ShiftRight, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOf(ShiftRightOf(Rounding::kFloor, Values({2}, {0, 0}), Values({3}, {1, 1, 1}))),
            "shift_right_c1");
}

TEST(ShiftRight, C2_RefusesModeDouble) {
  EXPECT_EQ(LabelOf(ShiftRightOf(Rounding::kDouble, Values({1}, {0}), Values({1}, {1}))), "shift_right_c2");
}

TEST(ShiftRight, C3_RefusesAmountsOutside0To62) {
  EXPECT_EQ(LabelOf(ShiftRightOf(Rounding::kFloor, Values({1}, {0}), Values({1}, {-1}))), "shift_right_c3");
  EXPECT_EQ(LabelOf(ShiftRightOf(Rounding::kFloor, Values({1}, {0}), Values({1}, {0}, {0, 63}))),
            "shift_right_c3");
}

TEST(ShiftRight, C4_RefusesWideConstants) {
  EXPECT_EQ(LabelOf(ShiftRightOf(Rounding::kFloor, Constant({1}, {kElementHi + 1}), Values({1}, {1}))),
            "shift_right_c4");
}

}  // namespace
}  // namespace tally
