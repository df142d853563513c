#include <gtest/gtest.h>

#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase Bits(Opcode op, TestOperand a, TestOperand b) {
  return {.op = op, .operands = {std::move(a), std::move(b)}};
}

Ints ValuesOf(Opcode op) {
  return RunOp(Bits(op, Values({3}, {6, -1, -4}), Values({3}, {3, 9, 6})))->values[0];
}

// Refuses [2] with [3].
std::string LabelOfMisfit(Opcode op) {
  return LabelOf(Bits(op, Values({2}, {0, 0}), Values({3}, {0, 0, 0})));
}

TEST(BitwiseAnd, KeepsWhatBothHave) { EXPECT_EQ(ValuesOf(Opcode::kBitwiseAnd), (Ints{2, 9, 4})); }
TEST(BitwiseOr, KeepsWhatEitherHas) { EXPECT_EQ(ValuesOf(Opcode::kBitwiseOr), (Ints{7, -1, -2})); }
TEST(BitwiseXor, KeepsWhatOneHas) { EXPECT_EQ(ValuesOf(Opcode::kBitwiseXor), (Ints{5, -10, -6})); }

TEST(BitwiseAnd, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOfMisfit(Opcode::kBitwiseAnd), "bitwise_and_c1");
}

TEST(BitwiseOr, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOfMisfit(Opcode::kBitwiseOr), "bitwise_or_c1");
}

TEST(BitwiseXor, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOfMisfit(Opcode::kBitwiseXor), "bitwise_xor_c1");
}

TEST(BitwiseAnd, ConstantsOf64BitsKeepTheirLowBits) {
  const auto y = RunOp(Bits(Opcode::kBitwiseAnd, Constant({2}, {INT64_MIN, INT64_MAX}), Values({}, {255})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{0, 255}));
  EXPECT_EQ(y->types[0].interval, (Interval{0, 255}));
}

}  // namespace
}  // namespace tally
