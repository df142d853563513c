#include <gtest/gtest.h>

#include "ops/layout/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase ConcatenateCase(std::vector<TestOperand> operands, int64_t axis, Profile profile = Profile::kCore) {
  return {.op = Opcode::kConcatenate,
          .profile = profile,
          .operands = std::move(operands),
          .attributes = Pack(ConcatenateAttrs{axis})};
}

TEST(Concatenate, PutsOperandsOneBehindTheOther) {
  const auto y = RunOp(ConcatenateCase({Values({2, 1}, {1, 2}), Values({2, 2}, {3, 4, 5, 6})}, 1));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,3] in [1, 6]");
  EXPECT_EQ(y->values[0], (Ints{1, 3, 4, 2, 5, 6}));
}

TEST(Concatenate, CountsNegativeAxesFromTheBack) {
  const auto y = RunOp(ConcatenateCase({Values({1, 2}, {1, 2}), Values({2, 2}, {3, 4, 5, 6})}, -2));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[3,2] in [1, 6]");
  EXPECT_EQ(y->values[0], (Ints{1, 2, 3, 4, 5, 6}));
}

TEST(Concatenate, JoinsIntervalsAndStoresTheWidest) {
  const auto y = RunOp(ConcatenateCase({Values({1}, {0}, {-5, 9}), Values({1}, {0}, {2, 300})}, 0));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].interval, (Interval{-5, 300}));
  EXPECT_EQ(y->gas, 320 * 2 + 20 * 2);
}

TEST(Concatenate, AcceptsOneOperandAndManyAndRepeatedOnes) {
  EXPECT_EQ(RunOp(ConcatenateCase({Values({2}, {1, 2})}, 0))->values[0], (Ints{1, 2}));
  const auto y = RunOp(ConcatenateCase(std::vector<TestOperand>(kMaxOperands, Values({2}, {1, 2})), 0));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2048] in [1, 2]");
  EXPECT_EQ(LabelOf(ConcatenateCase(std::vector<TestOperand>(kMaxOperands + 1, Values({1}, {1})), 0)),
            "operand_count");
}

TEST(Concatenate, PublishesTheWidestPrecision) {
  const auto y = RunOp(ConcatenateCase({Values({1}, {3}), Values({1}, {-100})}, 0, Profile::kCvm));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->precisions, std::vector<int>{8});
}

TEST(Concatenate, C1_RefusesAxesThatDoNotExist) {
  EXPECT_EQ(LabelOf(ConcatenateCase({Values({2}, {1, 2})}, 1)), "concatenate_c1");
  EXPECT_EQ(LabelOf(ConcatenateCase({Values({2}, {1, 2})}, -2)), "concatenate_c1");
  EXPECT_EQ(LabelOf(ConcatenateCase({Values({}, {1})}, 0)), "concatenate_c1");
}

TEST(Concatenate, C2_RefusesOtherRanks) {
  EXPECT_EQ(LabelOf(ConcatenateCase({Values({2}, {1, 2}), Values({2, 1}, {1, 2})}, 0)), "concatenate_c2");
}

TEST(Concatenate, C3_RefusesOtherDimsOffTheAxis) {
  EXPECT_EQ(LabelOf(ConcatenateCase({Values({1, 2}, {1, 2}), Values({1, 1}, {1})}, 0)), "concatenate_c3");
}

TEST(Concatenate, RefusesValuesOutsideTheTensorLimit) {
  EXPECT_EQ(LabelOf(ConcatenateCase({Values({1}, {1}), Values({1}, {int64_t{1} << 47})}, 0)), "value_range");
}

}  // namespace
}  // namespace tally
