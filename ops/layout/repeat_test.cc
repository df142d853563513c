#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/layout/attrs.h"
#include "ops/op_rules.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase RepeatCase(TestOperand x, int64_t repeats, int64_t axis) {
  return {.op = Opcode::kRepeat, .operands = {std::move(x)}, .attributes = Pack(RepeatAttrs{repeats, axis})};
}

OpCase TileCase(TestOperand x, Ints reps) {
  return {.op = Opcode::kTile, .operands = {std::move(x)}, .attributes = Pack(TileAttrs{std::move(reps)})};
}

// The rule's label for an operand that is too large to have elements in a test.
std::string LabelOfShape(Opcode op, std::initializer_list<int64_t> dims, const Attributes& attributes) {
  const std::vector<TensorType> operands = {{*Shape::Create(dims), {0, 0}}};
  Inferred inferred;
  return ErrorLabel(RulesOf(op).infer({.attributes = &attributes, .operands = operands}, &inferred));
}

TEST(Repeat, PutsEachElementBesideItself) {
  const auto y = RunOp(RepeatCase(Values({2, 2}, {1, 2, 3, 4}), 2, 1));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,4] in [1, 4]");
  EXPECT_EQ(y->values[0], (Ints{1, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(y->gas, 512 + 44 * 8);
}

TEST(Repeat, RepeatsWholeSlicesOfAnOuterAxis) {
  const auto y = RunOp(RepeatCase(Values({2, 2}, {1, 2, 3, 4}), 2, -2));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[4,2] in [1, 4]");
  EXPECT_EQ(y->values[0], (Ints{1, 2, 1, 2, 3, 4, 3, 4}));
}

TEST(Repeat, C1_RefusesAxesThatDoNotExist) {
  EXPECT_EQ(LabelOf(RepeatCase(Values({2}, {1, 2}), 2, 1)), "repeat_c1");
  EXPECT_EQ(LabelOf(RepeatCase(Values({2}, {1, 2}), 2, -2)), "repeat_c1");
  EXPECT_EQ(LabelOf(RepeatCase(Values({}, {1}), 2, 0)), "repeat_c1");
}

TEST(Repeat, RefusesResultsOutsideTheLimits) {
  EXPECT_EQ(LabelOf(RepeatCase(Values({2}, {1, 2}), 0, 0)), "attribute_range");
  EXPECT_EQ(LabelOf(RepeatCase(Values({2}, {1, 2}), kMaxDim, 0)), "shape_dim");
  EXPECT_EQ(LabelOfShape(Opcode::kRepeat, {kMaxDim}, Pack(RepeatAttrs{kMaxDim, 0})), "shape_dim");
  EXPECT_EQ(LabelOfShape(Opcode::kRepeat, {kMaxDim, 1}, Pack(RepeatAttrs{64, 1})), "shape_elements");
}

TEST(Tile, PutsCopiesSideBySide) {
  const auto y = RunOp(TileCase(Values({2, 2}, {1, 2, 3, 4}), {2, 2}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[4,4] in [1, 4]");
  EXPECT_EQ(y->values[0], (Ints{1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4}));
  EXPECT_EQ(y->gas, 512 + 44 * 16);
}

TEST(Tile, AlignsShortRepsAtTheRight) {
  const auto y = RunOp(TileCase(Values({2, 2}, {1, 2, 3, 4}), {2}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,4] in [1, 4]");
  EXPECT_EQ(y->values[0], (Ints{1, 2, 1, 2, 3, 4, 3, 4}));
}

TEST(Tile, AddsAxesForLongReps) {
  const auto y = RunOp(TileCase(Values({2}, {1, 2}), {3, 1}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[3,2] in [1, 2]");
  EXPECT_EQ(y->values[0], (Ints{1, 2, 1, 2, 1, 2}));
}

TEST(Tile, FillsAShapeWithAScalar) {
  const auto y = RunOp(TileCase(Values({}, {7}), {2, 1}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,1] in [7, 7]");
}

TEST(Tile, RefusesResultsOutsideTheLimits) {
  EXPECT_EQ(LabelOf(TileCase(Values({2}, {1, 2}), {})), "attribute_length");
  EXPECT_EQ(LabelOf(TileCase(Values({2}, {1, 2}), {0})), "attribute_range");
  EXPECT_EQ(LabelOf(TileCase(Values({2}, {1, 2}), {4097})), "attribute_range");
  EXPECT_EQ(LabelOf(TileCase(Values({2}, {1, 2}), Ints(8, 4096))), "shape_elements");
  EXPECT_EQ(LabelOfShape(Opcode::kTile, {kMaxDim}, Pack(TileAttrs{{4096}})), "shape_dim");
}

}  // namespace
}  // namespace tally
