#include <gtest/gtest.h>

#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

TEST(ArithmeticLowering, SquaresKnowThatBothFactorsAreOne) {
  const TestOperand x = Values({3}, {-3, 0, 2}), b = Values({}, {1});
  const auto square = RunLowering({.name = "square", .operands = {x}});
  EXPECT_EQ(square->values[0], (Ints{9, 0, 4}));
  EXPECT_EQ(square->types[0].interval, (Interval{0, 9}));
  const auto difference = RunLowering({.name = "squared_difference", .operands = {x, b}});
  EXPECT_EQ(difference->values[0], (Ints{16, 1, 1}));
  EXPECT_EQ(difference->types[0].interval, (Interval{0, 16}));
}

TEST(ArithmeticLowering, ReluAndSignAreClips) {
  const TestOperand x = Values({4}, {-300, -1, 0, 200});
  for (const std::string_view name : {"relu", "sign"}) {
    EXPECT_EQ(RunLowering({.name = name, .operands = {x}})->instructions, (std::vector<std::string>{"clip"}));
  }
  EXPECT_EQ(RunLowering({.name = "sign", .operands = {x}})->values[0], (Ints{-1, -1, 0, 1}));
}

TEST(ArithmeticLowering, InvertsBits) {
  EXPECT_EQ(RunLowering({.name = "bitwise_not", .operands = {Values({3}, {-1, 0, 5})}})->values[0],
            (Ints{0, -1, -6}));
}

// A lowering refuses everything that its operator refuses.
TEST(ArithmeticLowering, RefusesAsTheOperatorsDo) {
  const TestOperand one = Values({1}, {1}), two = Values({2}, {1, 1}), lowest = Constant({1}, {INT64_MIN});
  const TestOperand highest = Constant({1}, {INT64_MAX});
  EXPECT_EQ(LabelOf(LoweringCase{.name = "elemwise_add", .operands = {one, two}}), "lowering_operands");
  EXPECT_EQ(LabelOf(LoweringCase{.name = "elemwise_sub", .operands = {one, two}}), "lowering_operands");
  EXPECT_EQ(LabelOf(LoweringCase{.name = "relu", .operands = {highest}}), "attribute_range");
  EXPECT_EQ(LabelOf(LoweringCase{.name = "relu", .operands = {lowest}}), "");
  EXPECT_EQ(LabelOf(LoweringCase{.name = "negative", .operands = {lowest}}), "value_range");
  EXPECT_EQ(LabelOf(LoweringCase{.name = "broadcast_div", .operands = {lowest, one}}), "value_range");
}

}  // namespace
}  // namespace tally
