#include <gtest/gtest.h>

#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;
using Names = std::vector<std::string>;

TEST(ComparisonLowering, ComputesTruthsOnlyWhereTheyAreNone) {
  const TestOperand truths = Values({2}, {0, 1}), values = Values({2, 1}, {-5, 0});
  const auto plain = RunLowering({.name = "logical_and", .operands = {truths, truths}});
  EXPECT_EQ(plain->instructions, (Names{"broadcast_min"}));
  const auto mixed = RunLowering({.name = "logical_or", .operands = {values, truths}});
  EXPECT_EQ(mixed->instructions, (Names{"compare", "broadcast_max"}));
  EXPECT_EQ(mixed->values[0], (Ints{1, 1, 0, 1}));
  EXPECT_EQ(RunLowering({.name = "logical_xor", .operands = {values, truths}})->values[0],
            (Ints{1, 0, 0, 1}));
  EXPECT_EQ(RunLowering({.name = "logical_not", .operands = {values}})->values[0], (Ints{0, 1}));
}

TEST(ComparisonLowering, ReshapesAConditionOfRowsOnly) {
  const TestOperand x = Values({2, 2}, {1, 2, 3, 4}), y = Values({2, 2}, {5, 6, 7, 8});
  EXPECT_EQ(RunLowering({.name = "where", .operands = {Values({2}, {1, 0}), x, y}})->instructions,
            (Names{"reshape", "select"}));
  EXPECT_EQ(RunLowering({.name = "where", .operands = {x, x, y}})->instructions, (Names{"select"}));
}

TEST(ComparisonLowering, RefusesConditionsThatWhereRefuses) {
  const TestOperand x = Values({2, 2}, {1, 2, 3, 4}), row = Values({1, 2}, {1, 0}), one = Values({1}, {1});
  EXPECT_EQ(LabelOf(LoweringCase{.name = "where", .operands = {row, x, x}}), "lowering_operands");
  EXPECT_EQ(LabelOf(LoweringCase{.name = "where", .operands = {one, x, x}}), "lowering_operands");
  EXPECT_EQ(LabelOf(LoweringCase{.name = "where", .operands = {x, x, one}}), "lowering_operands");
}

}  // namespace
}  // namespace tally
