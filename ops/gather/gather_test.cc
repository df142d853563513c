#include <gtest/gtest.h>

#include "ops/gather/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase GatherCase(Opcode op, TestOperand x, TestOperand indices, int64_t axis) {
  return {.op = op, .operands = {std::move(x), std::move(indices)}, .attributes = Pack(GatherAttrs{axis})};
}
OpCase GatherNdCase(TestOperand x, TestOperand indices, int64_t batch_dims) {
  return {.op = Opcode::kGatherNd,
          .operands = {std::move(x), std::move(indices)},
          .attributes = Pack(GatherNdAttrs{batch_dims})};
}

TestOperand Grid() { return Values({2, 3}, {10, 11, 12, 20, 21, 22}); }

TEST(Gather, CountsNegativeIndicesFromTheBackAndClampsTheRest) {
  const auto y = RunOp(GatherCase(Opcode::kGather, Grid(), Constant({6}, {0, -1, -3, -4, 3, INT64_MIN}), 1));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,6] in [10, 22]");
  EXPECT_EQ(y->values[0], (Ints{10, 12, 10, 10, 12, 10, 20, 22, 20, 20, 22, 20}));
  EXPECT_EQ(y->gas, 512 + 40 * 12 + 48 * 2 + 80 * 6);
}

TEST(Gather, PutsTheAxesOfTheIndicesInPlaceOfTheAxis) {
  const auto y = RunOp(GatherCase(Opcode::kGather, Grid(), Values({1, 2}, {1, 0}), 0));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].shape.ToString(), "[1,2,3]");
  EXPECT_EQ(y->values[0], (Ints{20, 21, 22, 10, 11, 12}));
  EXPECT_EQ(RunOp(GatherCase(Opcode::kGather, Grid(), Values({}, {-2}), -1))->values[0], (Ints{11, 21}));
}

TEST(Gather, C1_RefusesAxesThatDoNotExist) {
  EXPECT_EQ(LabelOf(GatherCase(Opcode::kGather, Grid(), Values({1}, {0}), 2)), "gather_c1");
  EXPECT_EQ(LabelOf(GatherCase(Opcode::kGather, Values({}, {1}), Values({1}, {0}), 0)), "gather_c1");
}

TEST(GatherNd, TakesSlicesAtTuples) {
  EXPECT_EQ(RunOp(GatherNdCase(Grid(), Values({2, 2}, {1, -1, -2, 9}), 0))->values[0], (Ints{22, 12}));
  EXPECT_EQ(RunOp(GatherNdCase(Grid(), Values({2, 1}, {1, 0}), 0))->values[0],
            (Ints{20, 21, 22, 10, 11, 12}));
  EXPECT_EQ(RunOp(GatherNdCase(Grid(), Values({2, 1}, {1, 0}), 1))->values[0], (Ints{11, 20}));
  const auto batched = RunOp(GatherNdCase(Grid(), Values({2, 2, 1}, {1, 0, 2, 2}), 1));
  ASSERT_TRUE(batched.ok()) << batched.status();
  EXPECT_EQ(batched->types[0].ToString(), "[2,2] in [10, 22]");
  EXPECT_EQ(batched->values[0], (Ints{11, 10, 22, 22}));
}

TEST(GatherNd, C1_RefusesIndicesWithoutTuples) {
  EXPECT_EQ(LabelOf(GatherNdCase(Grid(), Values({}, {0}), 0)), "gather_nd_c1");
  EXPECT_EQ(LabelOf(GatherNdCase(Grid(), Values({2}, {0, 0}), 1)), "gather_nd_c1");
}

TEST(GatherNd, C2_RefusesTuplesLongerThanTheRank) {
  EXPECT_EQ(LabelOf(GatherNdCase(Grid(), Values({3}, {0, 0, 0}), 0)), "gather_nd_c2");
  EXPECT_EQ(LabelOf(GatherNdCase(Grid(), Values({2, 2}, {0, 0, 0, 0}), 1)), "gather_nd_c2");
}

TEST(GatherNd, C3_RefusesOtherBatches) {
  EXPECT_EQ(LabelOf(GatherNdCase(Grid(), Values({3, 1}, {0, 0, 0}), 1)), "gather_nd_c3");
}

TEST(GatherElements, TakesFromItsOwnLine) {
  const auto y = RunOp(GatherCase(Opcode::kGatherElements, Grid(), Values({2, 2}, {2, -3, 7, 1}), 1));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{12, 10, 22, 21}));
  EXPECT_EQ(y->gas, 512 + 40 * 4 + 48 * 2 + 80 * 4);
  EXPECT_EQ(
      RunOp(GatherCase(Opcode::kGatherElements, Grid(), Values({3, 2}, {1, 0, 0, 1, 1, 1}), 0))->values[0],
      (Ints{20, 11, 10, 21, 20, 21}));
}

TEST(GatherElements, C1_RefusesAxesThatDoNotExist) {
  EXPECT_EQ(LabelOf(GatherCase(Opcode::kGatherElements, Grid(), Values({1, 1}, {0}), -3)),
            "gather_elements_c1");
}

TEST(GatherElements, C2_RefusesOtherRanks) {
  EXPECT_EQ(LabelOf(GatherCase(Opcode::kGatherElements, Grid(), Values({1}, {0}), 0)), "gather_elements_c2");
}

TEST(GatherElements, C3_RefusesLongerDims) {
  EXPECT_EQ(LabelOf(GatherCase(Opcode::kGatherElements, Grid(), Values({3, 1}, {0, 0, 0}), 1)),
            "gather_elements_c3");
}

OpCase GatherTreeCase(TestOperand steps, TestOperand parents, TestOperand lengths, TestOperand end) {
  return {.op = Opcode::kGatherTree,
          .operands = {std::move(steps), std::move(parents), std::move(lengths), std::move(end)}};
}

TestOperand Steps() { return Values({3, 1, 2}, {1, 2, 3, 4, 5, 6}); }
TestOperand Parents() { return Values({3, 1, 2}, {0, 0, 0, 0, 1, 0}); }

TEST(GatherTree, FollowsParentsFromTheLastStep) {
  const auto y = RunOp(GatherTreeCase(Steps(), Parents(), Values({1}, {3}), Values({}, {9})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[3,1,2] in [1, 9]");
  EXPECT_EQ(y->values[0], (Ints{1, 1, 4, 3, 5, 6}));
  EXPECT_EQ(y->gas, 512 + 40 * 6 + 48 * 6 + 80 * (6 + 1 + 1));
}

TEST(GatherTree, FillsBehindTheLengthAndBehindTheFirstEnd) {
  EXPECT_EQ(RunOp(GatherTreeCase(Steps(), Parents(), Values({1}, {2}), Values({1}, {9})))->values[0],
            (Ints{1, 1, 3, 4, 9, 9}));
  EXPECT_EQ(RunOp(GatherTreeCase(Steps(), Parents(), Values({1}, {3}), Values({}, {4})))->values[0],
            (Ints{1, 1, 4, 3, 4, 6}));
  EXPECT_EQ(RunOp(GatherTreeCase(Steps(), Parents(), Constant({1}, {INT64_MIN}), Values({}, {9})))->values[0],
            Ints(6, 9));
}

TEST(GatherTree, ClampsParents) {
  EXPECT_EQ(RunOp(GatherTreeCase(Steps(), Values({3, 1, 2}, {0, 0, -5, 7, 9, -9}), Values({1}, {8}),
                                 Values({}, {0})))
                ->values[0],
            (Ints{2, 1, 4, 3, 5, 6}));
}

TEST(GatherTree, C1_RefusesOtherShapes) {
  EXPECT_EQ(
      LabelOf(GatherTreeCase(Values({2}, {1, 2}), Values({2}, {0, 0}), Values({1}, {1}), Values({}, {0}))),
      "gather_tree_c1");
  EXPECT_EQ(
      LabelOf(GatherTreeCase(Steps(), Values({3, 2, 1}, Ints(6, 0)), Values({1}, {1}), Values({}, {0}))),
      "gather_tree_c1");
}

TEST(GatherTree, C2_RefusesOtherLengths) {
  EXPECT_EQ(LabelOf(GatherTreeCase(Steps(), Parents(), Values({2}, {1, 1}), Values({}, {0}))),
            "gather_tree_c2");
}

TEST(GatherTree, C3_RefusesSeveralEnds) {
  EXPECT_EQ(LabelOf(GatherTreeCase(Steps(), Parents(), Values({1}, {1}), Values({2}, {0, 0}))),
            "gather_tree_c3");
}

}  // namespace
}  // namespace tally
