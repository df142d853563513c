#include <gtest/gtest.h>

#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

OpCase Case(std::vector<TestOperand> operands, Profile profile = Profile::kCore) {
  return {.op = Opcode::kDense, .profile = profile, .operands = std::move(operands)};
}

TEST(Dense, MultipliesRowsByRowsAndAddsTheBias) {
  const auto y = RunOp(Case({Values({2, 3}, {1, 2, 3, -4, 5, -6}), Values({2, 3}, {1, 10, 100, 0, -1, 7}),
                             Values({2}, {1000, -1000})}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].shape.ToString(), "[2,2]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1321, -981, 446, -1047}));
  EXPECT_EQ(y->gas, 6 + 16 * 6 + 512 + 20 * 2 * 16 * (3 + 16) + 64 * 2 * 3);
}

TEST(Dense, ConstantWeightsGiveExactBoundsPerUnit) {
  const auto y = RunOp(Case({Values({1, 3}, {0, 0, 0}, {1, 4}), Constant({2, 3}, {2, 2, 2, -1, -1, 1}),
                             Values({2}, {0, 0}, {-3, 3})}));
  ASSERT_TRUE(y.ok()) << y.status();
  // unit 0: 2(x0 + x1 + x2) in [6, 24]; unit 1: x2 - x0 - x1 in [-7, 2]; bias in [-3, 3]
  EXPECT_EQ(y->types[0].interval, (Interval{-10, 27}));
  // A partial sum may stop before any positive term.
  EXPECT_EQ(y->accumulator, (Interval{-8 - 3, 27}));
}

TEST(Dense, PublishesThePrecisionsOfCvm) {
  const auto plain = RunOp(Case({Values({1, 3}, {7, 7, 7}), Values({1, 3}, {1, 1, 1})}, Profile::kCvm));
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->precisions, (std::vector<int>{4 + 2 + 2}));
  const auto biased =
      RunOp(Case({Values({1, 3}, {7, 7, 7}), Values({1, 3}, {1, 1, 1}), Values({1}, {0})}, Profile::kCvm));
  ASSERT_TRUE(biased.ok()) << biased.status();
  EXPECT_EQ(biased->precisions, (std::vector<int>{9}));
}

TEST(Dense, C1_RefusesOperandsThatAreNotMatrices) {
  EXPECT_EQ(LabelOf(Case({Values({3}, {0, 0, 0}), Values({1, 3}, {0, 0, 0})})), "dense_c1");
  EXPECT_EQ(LabelOf(Case({Values({1, 3}, {0, 0, 0}), Values({1, 3, 1}, {0, 0, 0})})), "dense_c1");
}

TEST(Dense, C2_RefusesRowsOfDifferentLengths) {
  EXPECT_EQ(LabelOf(Case({Values({1, 3}, {0, 0, 0}), Values({3, 1}, {0, 0, 0})})), "dense_c2");
}

TEST(Dense, C3_RefusesABiasOfAnotherShape) {
  EXPECT_EQ(LabelOf(Case({Values({2, 1}, {0, 0}), Values({1, 1}, {0}), Values({2}, {0, 0})})), "dense_c3");
  EXPECT_EQ(LabelOf(Case({Values({2, 1}, {0, 0}), Values({1, 1}, {0}), Values({1, 1}, {0})})), "dense_c3");
}

TEST(Dense, C4_RefusesWideFactorsInProfileCvm) {
  EXPECT_EQ(LabelOf(Case({Values({1, 1}, {-128}), Values({1, 1}, {1})}, Profile::kCvm)), "dense_c4");
  EXPECT_EQ(LabelOf(Case({Values({1, 1}, {1}), Values({1, 1}, {300})}, Profile::kCvm)), "dense_c4");
}

}  // namespace
}  // namespace tally
