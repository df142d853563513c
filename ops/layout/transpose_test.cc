#include <gtest/gtest.h>

#include "ops/layout/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase TransposeCase(TestOperand x, Ints axes) {
  return {.op = Opcode::kTranspose,
          .operands = {std::move(x)},
          .attributes = Pack(TransposeAttrs{std::move(axes)})};
}

const TestOperand& Cube() {
  static const TestOperand cube = Values({2, 3, 2}, {0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121});
  return cube;
}

TEST(Transpose, ReversesTheAxesWhenNoneIsListed) {
  const auto y = RunOp(TransposeCase(Cube(), {}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,3,2] in [0, 121]");
  EXPECT_EQ(y->values[0], (Ints{0, 100, 10, 110, 20, 120, 1, 101, 11, 111, 21, 121}));
}

TEST(Transpose, TakesAxisIOfTheResultFromTheIthListedAxis) {
  // A cycle, so that the permutation and its inverse differ.
  const auto y = RunOp(TransposeCase(Cube(), {1, 2, 0}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[3,2,2] in [0, 121]");
  EXPECT_EQ(y->values[0], (Ints{0, 100, 1, 101, 10, 110, 11, 111, 20, 120, 21, 121}));
  EXPECT_EQ(RunOp(TransposeCase(Cube(), {-2, -1, -3}))->values, y->values);
  EXPECT_EQ(y->gas, 320 + 14 * 12);
}

TEST(Transpose, LeavesScalarsAlone) {
  EXPECT_EQ(RunOp(TransposeCase(Values({}, {5}), {}))->types[0].ToString(), "[] in [5, 5]");
}

TEST(Transpose, C1_RefusesListsOfAnotherLength) {
  EXPECT_EQ(LabelOf(TransposeCase(Cube(), {0, 1})), "transpose_c1");
  EXPECT_EQ(LabelOf(TransposeCase(Cube(), {0, 1, 2, 3})), "transpose_c1");
  EXPECT_EQ(LabelOf(TransposeCase(Values({}, {5}), {0})), "transpose_c1");
}

TEST(Transpose, C2_RefusesAxesThatDoNotExist) {
  EXPECT_EQ(LabelOf(TransposeCase(Cube(), {0, 1, 3})), "transpose_c2");
  EXPECT_EQ(LabelOf(TransposeCase(Cube(), {0, 1, -4})), "transpose_c2");
}

TEST(Transpose, C3_RefusesAxesListedTwice) {
  EXPECT_EQ(LabelOf(TransposeCase(Cube(), {0, 1, -2})), "transpose_c3");
}

}  // namespace
}  // namespace tally
