#include <gtest/gtest.h>

#include "ops/layout/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase PadCase(TestOperand x, Ints before, Ints after, int64_t value, PadMode mode = PadMode::kConstant) {
  return {.op = Opcode::kPad,
          .operands = {std::move(x)},
          .attributes = Pack(PadAttrs{std::move(before), std::move(after), value, mode})};
}

TEST(Pad, FramesTheOperand) {
  const auto y = RunOp(PadCase(Values({2, 2}, {1, 2, 3, 4}), {1, 0}, {0, 2}, -7));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[3,4] in [-7, 4]");
  EXPECT_EQ(y->values[0], (Ints{-7, -7, -7, -7, 1, 2, -7, -7, 3, 4, -7, -7}));
  EXPECT_EQ(y->gas, 80 * 12);
}

TEST(Pad, CountsTheValueOnlyWhereItAppears) {
  EXPECT_EQ(RunOp(PadCase(Values({2}, {1, 2}), {0}, {0}, 1000))->types[0].ToString(), "[2] in [1, 2]");
  EXPECT_EQ(RunOp(PadCase(Values({2}, {1, 2}), {0}, {1}, 2))->types[0].ToString(), "[3] in [1, 2]");
}

TEST(Pad, LeavesScalarsAlone) {
  EXPECT_EQ(RunOp(PadCase(Values({}, {5}), {}, {}, 0))->types[0].ToString(), "[] in [5, 5]");
}

// Seven elements in front and four after: an axis of three is passed more than once.
Ints Padded(PadMode mode) { return RunOp(PadCase(Values({3}, {1, 2, 3}), {7}, {4}, 0, mode))->values[0]; }

TEST(Pad, ModesGoOnForEver) {
  EXPECT_EQ(Padded(PadMode::kEdge), (Ints{1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3}));
  EXPECT_EQ(Padded(PadMode::kReflect), (Ints{2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3}));
  EXPECT_EQ(Padded(PadMode::kSymmetric), (Ints{1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1}));
  EXPECT_EQ(Padded(PadMode::kWrap), (Ints{3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1}));
}

TEST(Pad, ModesTreatAxesAlone) {
  const auto y = RunOp(PadCase(Values({2, 2}, {1, 2, 3, 4}, {-9, 9}), {1, 0}, {0, 1}, 0, PadMode::kReflect));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[3,3] in [-9, 9]");
  EXPECT_EQ(y->values[0], (Ints{3, 4, 3, 1, 2, 1, 3, 4, 3}));
}

TEST(Pad, OneElementFillsItsAxisInEveryMode) {
  for (const PadMode mode : {PadMode::kEdge, PadMode::kReflect, PadMode::kSymmetric, PadMode::kWrap}) {
    EXPECT_EQ(RunOp(PadCase(Values({1}, {5}), {2}, {1}, 0, mode))->values[0], (Ints{5, 5, 5, 5}));
  }
}

TEST(Pad, C2_RefusesAValueThatCannotAppear) {
  EXPECT_EQ(LabelOf(PadCase(Values({2}, {1, 2}), {1}, {1}, 3, PadMode::kEdge)), "pad_c2");
}

TEST(Pad, C1_RefusesListsOfAnotherLength) {
  EXPECT_EQ(LabelOf(PadCase(Values({2}, {1, 2}), {}, {1}, 0)), "pad_c1");
  EXPECT_EQ(LabelOf(PadCase(Values({2}, {1, 2}), {1}, {1, 1}, 0)), "pad_c1");
}

TEST(Pad, RefusesResultsOutsideTheLimits) {
  EXPECT_EQ(LabelOf(PadCase(Values({2}, {1, 2}), {kMaxDim}, {kMaxDim}, 0)), "shape_dim");
  EXPECT_EQ(LabelOf(PadCase(Values({1, 1}, {1}), {1 << 20, 1 << 20}, {0, 0}, 0)), "shape_elements");
  EXPECT_EQ(LabelOf(PadCase(Values({2}, {1, 2}), {-1}, {0}, 0)), "attribute_range");
  EXPECT_EQ(LabelOf(PadCase(Values({2}, {1, 2}), {1}, {0}, int64_t{1} << 47)), "attribute_range");
}

}  // namespace
}  // namespace tally
