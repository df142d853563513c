#include <gtest/gtest.h>

#include "ops/sort/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase SortCase(Opcode op, TestOperand x, const SortAttrs& attrs = {}) {
  return {.op = op, .operands = {std::move(x)}, .attributes = Pack(attrs)};
}
OpCase TopKCase(TestOperand x, const TopKAttrs& attrs) {
  return {.op = Opcode::kTopK, .operands = {std::move(x)}, .attributes = Pack(attrs)};
}

TestOperand Ties() { return Values({6}, {3, 1, 3, 2, 1, 3}); }

TEST(Sort, OrdersEveryLine) {
  const TestOperand x = Values({2, 3}, {3, 1, 2, 0, 9, -5}, {-9, 9});
  const auto y = RunOp(SortCase(Opcode::kSort, x, {.axis = 1}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,3] in [-9, 9]");
  EXPECT_EQ(y->values[0], (Ints{1, 2, 3, -5, 0, 9}));
  EXPECT_EQ(y->gas, 20 * 6 * 3 + 4096 + 32 * 6);
  EXPECT_EQ(RunOp(SortCase(Opcode::kSort, x, {.axis = -2, .descending = true}))->values[0],
            (Ints{3, 9, 2, 0, 1, -5}));
}

TEST(Sort, C1_RefusesAxesThatDoNotExist) {
  EXPECT_EQ(LabelOf(SortCase(Opcode::kSort, Ties(), {.axis = 1})), "sort_c1");
  EXPECT_EQ(LabelOf(SortCase(Opcode::kSort, Values({}, {1}))), "sort_c1");
}

TEST(ArgSort, TiesGoToTheLowerPositionInBothDirections) {
  EXPECT_EQ(RunOp(SortCase(Opcode::kArgSort, Ties()))->values[0], (Ints{1, 4, 3, 0, 2, 5}));
  const auto y = RunOp(SortCase(Opcode::kArgSort, Ties(), {.descending = true}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{0, 2, 5, 3, 1, 4}));
  EXPECT_EQ(y->types[0].ToString(), "[6] in [0, 5]");
}

TEST(ArgSort, ComparesWholeValues) {
  const int64_t high = int64_t{1} << 40;
  EXPECT_EQ(RunOp(SortCase(Opcode::kArgSort, Values({3}, {high + 1, high, 255})))->values[0],
            (Ints{2, 1, 0}));
}

TEST(ArgSort, C1_RefusesAxesThatDoNotExist) {
  EXPECT_EQ(LabelOf(SortCase(Opcode::kArgSort, Ties(), {.axis = -2})), "arg_sort_c1");
}

TEST(TopK, TakesTheFirstOfTheOrder) {
  const auto largest = RunOp(TopKCase(Ties(), {.k = 4}));
  ASSERT_TRUE(largest.ok()) << largest.status();
  EXPECT_EQ(largest->values[0], (Ints{3, 3, 3, 2}));
  EXPECT_EQ(largest->values[1], (Ints{0, 2, 5, 3}));
  EXPECT_EQ(largest->types[0].ToString(), "[4] in [1, 3]");
  EXPECT_EQ(largest->types[1].ToString(), "[4] in [0, 5]");
  EXPECT_EQ(largest->gas, 20 * 6 * 3 + 4096 + 32 * (4 + 4));
  const auto smallest = RunOp(TopKCase(Ties(), {.k = 3, .largest = false}));
  EXPECT_EQ(smallest->values[0], (Ints{1, 1, 2}));
  EXPECT_EQ(smallest->values[1], (Ints{1, 4, 3}));
}

TEST(TopK, KeepsTheOrderOfPositionsOnRequest) {
  const auto y = RunOp(TopKCase(Ties(), {.k = 4, .largest = false, .order = TopKOrder::kIndex}));
  EXPECT_EQ(y->values[0], (Ints{3, 1, 2, 1}));
  EXPECT_EQ(y->values[1], (Ints{0, 1, 3, 4}));
}

TEST(TopK, WorksAlongAnyAxis) {
  const auto y = RunOp(TopKCase(Values({3, 2}, {1, 6, 5, 2, 3, 4}), {.k = 2, .axis = 0}));
  EXPECT_EQ(y->values[0], (Ints{5, 6, 3, 4}));
  EXPECT_EQ(y->values[1], (Ints{1, 0, 2, 2}));
}

TEST(TopK, C1_RefusesAxesThatDoNotExist) { EXPECT_EQ(LabelOf(TopKCase(Ties(), {.axis = 1})), "top_k_c1"); }

TEST(TopK, C2_RefusesMoreThanThereAre) {
  EXPECT_EQ(LabelOf(TopKCase(Ties(), {.k = 7})), "top_k_c2");
  EXPECT_EQ(LabelOf(TopKCase(Ties(), {.k = 6})), "");
}

}  // namespace
}  // namespace tally
