#include <gtest/gtest.h>

#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

OpCase Binary(Opcode op, TestOperand a, TestOperand b, Profile profile = Profile::kCore) {
  return {.op = op, .profile = profile, .operands = {std::move(a), std::move(b)}};
}

TEST(ElemwiseAdd, AddsEqualShapes) {
  const auto y = RunOp(Binary(Opcode::kElemwiseAdd, Values({2, 2}, {1, 2, 3, 4}),
                              Values({2, 2}, {-9, 8, -7, 6}), Profile::kCvm));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-8, 10, -4, 10}));
  EXPECT_EQ(y->types[0].ToString(), "[2,2] in [-8, 12]");
  EXPECT_EQ(y->precisions, (std::vector<int>{6}));  // max(4, 5) + 1
  EXPECT_EQ(y->gas, 5 * 4);
}

TEST(ElemwiseAdd, C1_RefusesToBroadcast) {
  EXPECT_EQ(LabelOf(Binary(Opcode::kElemwiseAdd, Values({1, 2}, {1, 2}), Values({2}, {1, 2}))),
            "elemwise_add_c1");
}

TEST(ElemwiseSub, SubtractsEqualShapes) {
  const auto y = RunOp(Binary(Opcode::kElemwiseSub, Values({2}, {1, 2}), Values({2}, {-9, 8})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{10, -6}));
  EXPECT_EQ(y->types[0].interval, (Interval{-7, 11}));
}

TEST(ElemwiseSub, C1_RefusesToBroadcast) {
  EXPECT_EQ(LabelOf(Binary(Opcode::kElemwiseSub, Values({2}, {1, 2}), Values({1}, {1}))), "elemwise_sub_c1");
}

}  // namespace
}  // namespace tally
