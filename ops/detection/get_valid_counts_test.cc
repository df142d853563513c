#include <gtest/gtest.h>

#include "ops/detection/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

OpCase Case(TestOperand x, int64_t score_threshold = 0, Profile profile = Profile::kCore) {
  return {.op = Opcode::kGetValidCounts,
          .profile = profile,
          .operands = {std::move(x)},
          .attributes = Pack(GetValidCountsAttrs{score_threshold})};
}

TEST(GetValidCounts, GathersTheRowsAboveTheThreshold) {
  const auto y = RunOp(Case(Values({2, 3, 2}, {7, 5, 8, 6, 9, 7, 1, 9, 2, 5, 3, 6}), 5));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2] in [0, 3]");
  EXPECT_EQ(y->types[1].ToString(), "[2,3,2] in [-1, 9]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(y->values[1], (std::vector<int64_t>{8, 6, 9, 7, -1, -1, 1, 9, 3, 6, -1, -1}));
  EXPECT_EQ(y->gas, 2 * (24 * 3 + 48));
}

// Only the score decides; a row with id -1 is counted and written like any other.
TEST(GetValidCounts, NegativeIdsCount) {
  const auto y = RunOp(Case(Values({1, 2, 2}, {-1, -3, -1, -4}), -4));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1}));
  EXPECT_EQ(y->values[1], (std::vector<int64_t>{-1, -3, -1, -1}));
}

TEST(GetValidCounts, PublishesThePrecisionsOfCvm) {
  const auto y = RunOp(Case(Values({1, 1, 2}, {0, 0}), 0, Profile::kCvm));
  ASSERT_TRUE(y.ok()) << y.status();
  // Rows of precision 1 gain the -1. The count is published for N * K = 2.
  EXPECT_EQ(y->precisions, (std::vector<int>{3, 2}));
  EXPECT_EQ(RunOp(Case(Values({1, 1, 2}, {100, 0}), 0, Profile::kCvm))->precisions, (std::vector<int>{3, 8}));
}

TEST(GetValidCounts, C1_RefusesOperandsThatAreNotThreeDimensional) {
  EXPECT_EQ(LabelOf(Case(Values({1, 2}, {0, 0}))), "get_valid_counts_c1");
}

TEST(GetValidCounts, C2_RefusesRowsWithoutAScoreOrTooLong) {
  EXPECT_EQ(LabelOf(Case(Values({1, 2, 1}, {0, 0}))), "get_valid_counts_c2");
  EXPECT_EQ(LabelOf(Case(Values({1, 1, 33}, std::vector<int64_t>(33, 0)))), "get_valid_counts_c2");
  EXPECT_EQ(LabelOf(Case(Values({1, 1, 32}, std::vector<int64_t>(32, 0)))), "");
}

}  // namespace
}  // namespace tally
