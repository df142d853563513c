#include <gtest/gtest.h>

#include "ops/layout/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase ReshapeCase(TestOperand x, Ints shape, Profile profile = Profile::kCore) {
  return {.op = Opcode::kReshape,
          .profile = profile,
          .operands = {std::move(x)},
          .attributes = Pack(ReshapeAttrs{std::move(shape)})};
}

OpCase FlattenCase(TestOperand x) { return {.op = Opcode::kFlatten, .operands = {std::move(x)}}; }

OpCase ExpandDimsCase(TestOperand x, int64_t axis, int64_t num_newaxis) {
  return {.op = Opcode::kExpandDims,
          .operands = {std::move(x)},
          .attributes = Pack(ExpandDimsAttrs{axis, num_newaxis})};
}

OpCase SqueezeCase(TestOperand x, Ints axis) {
  return {
      .op = Opcode::kSqueeze, .operands = {std::move(x)}, .attributes = Pack(SqueezeAttrs{std::move(axis)})};
}

// The inferred type in words, or the label of the refusal.
std::string TypeOf(const OpCase& test) {
  const auto y = RunOp(test);
  return y.ok() ? y->types[0].ToString() : LabelOf(test);
}

TEST(Reshape, KeepsTheOrderOfTheElements) {
  const auto y = RunOp(ReshapeCase(Values({2, 3}, {1, 2, 3, 4, 5, 6}), {3, 1, 2}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[3,1,2] in [1, 6]");
  EXPECT_EQ(y->values[0], (Ints{1, 2, 3, 4, 5, 6}));
}

TEST(Reshape, CostsTwoForEachElementOfAnyStorage) {
  EXPECT_EQ(RunOp(ReshapeCase(Values({4}, {0, 0, 0, 0}, {-128, 127}), {2, 2}))->gas, 3 * 4);
  EXPECT_EQ(RunOp(ReshapeCase(Values({4}, {0, 0, 0, 0}, {-128, 128}), {2, 2}))->gas, 3 * 4);
}

TEST(Reshape, TurnsScalarsIntoVectorsAndBack) {
  EXPECT_EQ(TypeOf(ReshapeCase(Values({1}, {7}), {})), "[] in [7, 7]");
  EXPECT_EQ(TypeOf(ReshapeCase(Values({}, {7}), {1, 1})), "[1,1] in [7, 7]");
}

TEST(Reshape, PublishesThePrecisionOfItsOperand) {
  EXPECT_EQ(RunOp(ReshapeCase(Values({2}, {-3, 3}), {2, 1}, Profile::kCvm))->precisions, std::vector<int>{3});
}

TEST(Reshape, C1_RefusesAnotherNumberOfElements) {
  EXPECT_EQ(TypeOf(ReshapeCase(Values({2, 3}, {1, 2, 3, 4, 5, 6}), {5})), "reshape_c1");
  EXPECT_EQ(TypeOf(ReshapeCase(Values({2}, {1, 2}), {})), "reshape_c1");
}

TEST(Reshape, RefusesShapesOutsideTheLimits) {
  EXPECT_EQ(TypeOf(ReshapeCase(Values({1}, {1}), {0})), "attribute_range");
  EXPECT_EQ(TypeOf(ReshapeCase(Values({1}, {1}), {-1})), "attribute_range");
  EXPECT_EQ(TypeOf(ReshapeCase(Values({1}, {1}), Ints(9, 1))), "attribute_length");
  EXPECT_EQ(TypeOf(ReshapeCase(Values({1}, {1}), Ints(8, kMaxDim))), "reshape_c1");
}

TEST(Reshape, RefusesValuesOutsideTheTensorLimit) {
  EXPECT_EQ(TypeOf(ReshapeCase(Values({1}, {int64_t{1} << 47}), {1})), "value_range");
}

TEST(Flatten, MergesAllAxesBehindTheFirst) {
  const auto y = RunOp(FlattenCase(Values({2, 1, 3}, {1, 2, 3, 4, 5, 6})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,3] in [1, 6]");
  EXPECT_EQ(y->values[0], (Ints{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(y->gas, 3 * 6);
}

TEST(Flatten, GivesAVectorASecondAxis) {
  EXPECT_EQ(TypeOf(FlattenCase(Values({3}, {1, 2, 3}))), "[3,1] in [1, 3]");
}

TEST(Flatten, C1_RefusesScalars) { EXPECT_EQ(TypeOf(FlattenCase(Values({}, {5}))), "flatten_c1"); }

TEST(ExpandDims, InsertsAxesBeforeTheGivenOne) {
  const TestOperand x = Values({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(TypeOf(ExpandDimsCase(x, 0, 1)), "[1,2,3] in [1, 6]");
  EXPECT_EQ(TypeOf(ExpandDimsCase(x, 1, 2)), "[2,1,1,3] in [1, 6]");
  EXPECT_EQ(TypeOf(ExpandDimsCase(x, 2, 1)), "[2,3,1] in [1, 6]");
  EXPECT_EQ(RunOp(ExpandDimsCase(x, 1, 2))->values[0], (Ints{1, 2, 3, 4, 5, 6}));
}

TEST(ExpandDims, CountsNegativeAxesInTheResult) {
  const TestOperand x = Values({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(TypeOf(ExpandDimsCase(x, -1, 1)), "[2,3,1] in [1, 6]");
  EXPECT_EQ(TypeOf(ExpandDimsCase(x, -3, 1)), "[1,2,3] in [1, 6]");
}

TEST(ExpandDims, ExpandsScalars) {
  EXPECT_EQ(TypeOf(ExpandDimsCase(Values({}, {5}), -1, 3)), "[1,1,1] in [5, 5]");
}

TEST(ExpandDims, C1_RefusesAxesBeyondTheEnds) {
  EXPECT_EQ(TypeOf(ExpandDimsCase(Values({2}, {1, 2}), 2, 1)), "expand_dims_c1");
  EXPECT_EQ(TypeOf(ExpandDimsCase(Values({2}, {1, 2}), -3, 1)), "expand_dims_c1");
}

TEST(ExpandDims, RefusesRanksAndCountsOutsideTheLimits) {
  EXPECT_EQ(TypeOf(ExpandDimsCase(Values({2}, {1, 2}), 0, 7)), "[1,1,1,1,1,1,1,2] in [1, 2]");
  EXPECT_EQ(TypeOf(ExpandDimsCase(Values({2}, {1, 2}), 0, 8)), "shape_rank");
  EXPECT_EQ(TypeOf(ExpandDimsCase(Values({2}, {1, 2}), 0, 4096)), "shape_rank");
  EXPECT_EQ(TypeOf(ExpandDimsCase(Values({2}, {1, 2}), 0, 0)), "attribute_range");
}

TEST(Squeeze, RemovesTheListedAxes) {
  const TestOperand x = Values({1, 2, 1, 3, 1}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(TypeOf(SqueezeCase(x, {2})), "[1,2,3,1] in [1, 6]");
  EXPECT_EQ(TypeOf(SqueezeCase(x, {-1, 0})), "[2,1,3] in [1, 6]");
  EXPECT_EQ(RunOp(SqueezeCase(x, {0}))->values[0], (Ints{1, 2, 3, 4, 5, 6}));
}

TEST(Squeeze, MergesDuplicates) {
  EXPECT_EQ(TypeOf(SqueezeCase(Values({1, 2, 1}, {1, 2}), {2, -1, 2})), "[1,2] in [1, 2]");
}

TEST(Squeeze, RemovesAllAxesOfOneElementWhenNoneIsListed) {
  EXPECT_EQ(TypeOf(SqueezeCase(Values({1, 2, 1, 3}, {1, 2, 3, 4, 5, 6}), {})), "[2,3] in [1, 6]");
}

TEST(Squeeze, LeavesAVectorOfOneWhenNothingRemains) {
  EXPECT_EQ(TypeOf(SqueezeCase(Values({1, 1}, {5}), {})), "[1] in [5, 5]");
  EXPECT_EQ(TypeOf(SqueezeCase(Values({1, 1}, {5}), {0, 1})), "[1] in [5, 5]");
  EXPECT_EQ(TypeOf(SqueezeCase(Values({}, {5}), {})), "[1] in [5, 5]");
}

TEST(Squeeze, C1_RefusesAxesThatDoNotExist) {
  EXPECT_EQ(TypeOf(SqueezeCase(Values({1, 2}, {1, 2}), {2})), "squeeze_c1");
  EXPECT_EQ(TypeOf(SqueezeCase(Values({1, 2}, {1, 2}), {-3})), "squeeze_c1");
  EXPECT_EQ(TypeOf(SqueezeCase(Values({}, {5}), {0})), "squeeze_c1");
}

TEST(Squeeze, C2_RefusesAxesOfSeveralElements) {
  EXPECT_EQ(TypeOf(SqueezeCase(Values({1, 2}, {1, 2}), {0, 1})), "squeeze_c2");
}

}  // namespace
}  // namespace tally
