#include <gtest/gtest.h>

#include "ops/linear/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

OpCase Conv(std::vector<TestOperand> operands, const ConvTransposeAttrs& attrs) {
  return {.op = Opcode::kConvTranspose, .operands = std::move(operands), .attributes = Pack(attrs)};
}

ConvTransposeAttrs Row(int64_t stride = 1, int64_t dilation = 1, int64_t begin = 0, int64_t end = 0,
                       int64_t output_padding = 0) {
  return {.stride = {stride},
          .dilation = {dilation},
          .pad_begin = {begin},
          .pad_end = {end},
          .output_padding = {output_padding}};
}

const TestOperand kRow = Values({1, 1, 3}, {1, 2, 3}), kKernel = Values({1, 1, 3}, {1, 10, 100});

TEST(ConvTranspose, SpreadsEachElement) {
  const auto y = RunOp(Conv({kRow, kKernel}, Row(2)));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].shape.ToString(), "[1,1,7]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1, 10, 102, 20, 203, 30, 300}));
  EXPECT_EQ(y->gas, 3 + 16 * 3 + 512 + 20 * 7 * 16 * (3 + 16) + 64 * 3);
}

TEST(ConvTranspose, PaddingCutsAndOutputPaddingAdds) {
  const auto y = RunOp(Conv({kRow, kKernel, Values({1}, {1000})}, Row(2, 1, 1, 2, 4)));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1010, 1102, 1020, 1203, 1030, 1300, 1000, 1000}));
}

TEST(ConvTranspose, GroupsWriteTheirOwnChannels) {
  ConvTransposeAttrs attrs = Row();
  attrs.groups = 2;
  const auto y = RunOp(Conv({Values({1, 4, 1}, {1, 2, 3, 4}), Values({4, 1, 1}, {1, 10, 100, 1000})}, attrs));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{21, 4300}));
}

// A stride of 2 gives taps 0, 2 and taps 1, 3 of a kernel results of their own.
TEST(ConvTranspose, TheIntervalOfEachClassOfTapsIsTight) {
  const TestOperand w = Constant({1, 1, 4}, {1, -2, 3, -4});
  Interval reached = {INT64_MAX, INT64_MIN}, inferred;
  for (int ends = 0; ends < 8; ++ends) {
    std::vector<int64_t> x;
    for (int i = 0; i < 3; ++i) x.push_back(ends >> i & 1 ? 20 : -10);
    const auto y = RunOp(Conv({Values({1, 1, 3}, x, {-10, 20}), w}, Row(2)));
    ASSERT_TRUE(y.ok()) << y.status();
    for (const int64_t v : y->values[0]) reached = reached.Hull({v, v});
    inferred = y->types[0].interval;
  }
  EXPECT_EQ(inferred, (Interval{-6 * 20, 6 * 10 > 4 * 20 ? 6 * 10 : 4 * 20}));
  EXPECT_EQ(reached, inferred);
}

TEST(ConvTranspose, ComputedWeightsCountTheLargestClass) {
  const auto y = RunOp(
      Conv({Values({1, 1, 3}, {0, 0, 0}, {-1, 2}), Values({1, 1, 5}, {0, 0, 0, 0, 0}, {-3, 4})}, Row(2, 3)));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].interval, (Interval{3 * -6, 3 * 8}));  // taps 0, 2 and 4
}

// One input element, far apart outputs: no work is spent on the gaps beyond the gas.
TEST(ConvTranspose, HostileAttributesAreBounded) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  const TestOperand one = Values({1, 1, 1}, {7});
  EXPECT_EQ(LabelOf(Conv({kRow, kKernel}, Row(kMost, kMost))), "shape_dim");
  const auto y = RunOp(Conv({one, one}, Row(kMost, kMost, 0, 0, 2)));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{49, 0, 0}));
}

TEST(ConvTranspose, C1_RefusesOtherRanks) {
  EXPECT_EQ(LabelOf(Conv({kRow, Values({1, 1}, {0})}, Row())), "conv_transpose_c1");
}
TEST(ConvTranspose, C2_RefusesListsOfAnotherLength) {
  ConvTransposeAttrs attrs = Row();
  attrs.output_padding = {0, 0};
  EXPECT_EQ(LabelOf(Conv({kRow, kKernel}, attrs)), "conv_transpose_c2");
}
TEST(ConvTranspose, C3_RefusesGroupsThatDoNotDivideTheChannels) {
  ConvTransposeAttrs attrs = Row();
  attrs.groups = 2;
  EXPECT_EQ(LabelOf(Conv({kRow, kKernel}, attrs)), "conv_transpose_c3");
}
TEST(ConvTranspose, C4_RefusesWeightsOfOtherInputChannels) {
  EXPECT_EQ(LabelOf(Conv({kRow, Values({2, 1, 1}, {0, 0})}, Row())), "conv_transpose_c4");
}
TEST(ConvTranspose, C5_RefusesPaddingThatLeavesNothing) {
  EXPECT_EQ(LabelOf(Conv({kRow, kKernel}, Row(1, 1, 3, 2))), "conv_transpose_c5");
  EXPECT_EQ(LabelOf(Conv({kRow, kKernel}, Row(1, 1, 3, 2, 1))), "");
}
TEST(ConvTranspose, C6_RefusesABiasOfAnotherShape) {
  EXPECT_EQ(LabelOf(Conv({kRow, kKernel, Values({2}, {0, 0})}, Row())), "conv_transpose_c6");
}
TEST(ConvTranspose, C7_RefusesZerosThatLeave64Bits) {
  ConvTransposeAttrs attrs = Row();
  attrs.zero_x = 1;
  EXPECT_EQ(LabelOf(Conv({Constant({1, 1, 1}, {INT64_MIN}), Values({1, 1, 1}, {0})}, attrs)),
            "conv_transpose_c7");
  attrs.zero_x = 0, attrs.zero_w = -1;
  EXPECT_EQ(LabelOf(Conv({Values({1, 1, 1}, {0}), Constant({1, 1, 1}, {INT64_MAX})}, attrs)),
            "conv_transpose_c7");
}

}  // namespace
}  // namespace tally
