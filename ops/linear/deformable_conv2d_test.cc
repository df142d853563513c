#include <gtest/gtest.h>

#include "ops/linear/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase Conv(std::vector<TestOperand> operands, const DeformableConv2dAttrs& attrs = {}) {
  return {.op = Opcode::kDeformableConv2d, .operands = std::move(operands), .attributes = Pack(attrs)};
}

const TestOperand kX = Values({1, 1, 1, 3}, {4, 8, 16});
const TestOperand kOne = Constant({1, 1, 1, 1}, {1});

// One tap of weight 1 at column o of the row, moved by o's entry of `columns`, in quarters.
Ints Moved(std::vector<int64_t> columns, DeformableBorder border) {
  Ints offsets(3, 0);
  offsets.insert(offsets.end(), columns.begin(), columns.end());
  const auto y = RunOp(
      Conv({kX, kOne, Values({1, 2, 1, 3}, offsets)}, {.border = border, .offset_fraction = 2, .shift = 4}));
  EXPECT_TRUE(y.ok()) << y.status();
  return y->values[0];
}

TEST(DeformableConv2d, ReadsBetweenPixelsAndZeroOutside) {
  EXPECT_EQ(Moved({0, 2, -4}, DeformableBorder::kZeroPixels), (Ints{4, 12, 8}));
  EXPECT_EQ(Moved({-2, -8, 3}, DeformableBorder::kZeroPixels), (Ints{2, 0, 4}));
  EXPECT_EQ(Moved({-2, -8, 3}, DeformableBorder::kZeroSamples), (Ints{0, 0, 16}));
}

TEST(DeformableConv2d, WithoutOffsetsItIsConv2d) {
  const TestOperand x = Values({1, 2, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -3, -4, -5, -6, -7, -8, -9});
  const TestOperand w = Constant({2, 2, 2, 2}, {1, -2, 3, -4, 5, -6, 7, -8, 9, -1, 2, -3, 4, -5, 6, -7});
  const auto expected =
      RunOp({.op = Opcode::kConv2d, .operands = {x, w}, .attributes = Pack(Conv2dAttrs{.padding = {1, 1}})});
  const auto y = RunOp(Conv({x, w, Values({1, 8, 4, 4}, Ints(128, 0))}, {.padding = {1, 1, 1, 1}}));
  ASSERT_TRUE(expected.ok() && y.ok()) << y.status();
  EXPECT_EQ(y->values, expected->values);
  EXPECT_EQ(y->types, expected->types);
}

TEST(DeformableConv2d, TheMaskWeighsEachTap) {
  const auto y = RunOp(Conv({kX, kOne, Values({1, 2, 1, 3}, Ints(6, 0)), Values({1, 1, 1, 3}, {2, 0, -1})}));
  EXPECT_EQ(y->values[0], (Ints{8, 0, -16}));
  EXPECT_EQ(y->types[0].interval, (Interval{-16, 32}));
  EXPECT_EQ(y->gas, 512 + 256 + 3 * (288 + 16));
}

// The interval's ends are reached: by taps of the largest and by taps of the smallest value, or outside.
TEST(DeformableConv2d, TheIntervalIsTight) {
  const TestOperand x = Values({1, 1, 1, 2}, {3, 7}), w = Constant({1, 1, 1, 2}, {2, -5});
  Interval reached = {INT64_MAX, INT64_MIN}, bounds;
  for (int64_t first = -9; first <= 9; ++first) {
    for (int64_t second = -9; second <= 9; ++second) {
      const auto y = RunOp(Conv({x, w, Values({1, 4, 1, 1}, {0, first, 0, second}, {-9, 9})}));
      reached = {std::min(reached.lo, y->values[0][0]), std::max(reached.hi, y->values[0][0])};
      bounds = y->types[0].interval;
    }
  }
  EXPECT_EQ(reached, (Interval{-35, 14}));
  EXPECT_EQ(bounds, reached);
}

TEST(DeformableConv2d, C1_RefusesOperandsThatAreNotFourDimensional) {
  EXPECT_EQ(LabelOf(Conv({Values({1, 1, 1}, {0}), kOne, kX})), "deformable_conv2d_c1");
}

TEST(DeformableConv2d, C2_RefusesGroupsThatDoNotDivideTheChannels) {
  EXPECT_EQ(LabelOf(Conv({kX, kOne, kX}, {.groups = 2})), "deformable_conv2d_c2");
  EXPECT_EQ(LabelOf(Conv({kX, kOne, kX}, {.offset_groups = 2})), "deformable_conv2d_c2");
}

TEST(DeformableConv2d, C3_RefusesWeightsOfOtherChannels) {
  EXPECT_EQ(LabelOf(Conv({kX, Constant({1, 2, 1, 1}, {1, 1}), kX})), "deformable_conv2d_c3");
}

TEST(DeformableConv2d, C4_RefusesKernelsLargerThanTheInput) {
  EXPECT_EQ(LabelOf(Conv({kX, Constant({1, 1, 2, 1}, {1, 1}), kX})), "deformable_conv2d_c4");
  EXPECT_EQ(LabelOf(Conv({kX, Constant({1, 1, 1, 2}, {1, 1}), kX}, {.dilation = {1, 3}})),
            "deformable_conv2d_c4");
}

TEST(DeformableConv2d, C5_RefusesOffsetsAndMasksOfOtherShapes) {
  const TestOperand offsets = Values({1, 2, 1, 3}, Ints(6, 0));
  EXPECT_EQ(LabelOf(Conv({kX, kOne, kX})), "deformable_conv2d_c5");
  EXPECT_EQ(LabelOf(Conv({kX, kOne, offsets, offsets})), "deformable_conv2d_c5");
  EXPECT_EQ(LabelOf(Conv({kX, kOne, offsets, kX})), "");
}

TEST(DeformableConv2d, C6_RefusesOffsetsOf64Bits) {
  const int64_t limit = int64_t{1} << 47;
  // The farthest offsets that are accepted run in int64_t; RunOp compares them with cpp_int.
  for (const int64_t fraction : {0, 7, 25}) {
    EXPECT_TRUE(
        RunOp(Conv({kX, kOne, Constant({1, 2, 1, 3}, {-limit, limit - 1, 0, -limit, limit - 1, -limit})},
                   {.offset_fraction = fraction, .shift = 40}))
            .ok());
  }
  EXPECT_EQ(LabelOf(Conv({kX, kOne, Constant({1, 2, 1, 3}, {limit, 0, 0, 0, 0, 0})})),
            "deformable_conv2d_c6");
}

TEST(DeformableConv2d, C7_RefusesTapsAndSumsThatLeave64Bits) {
  const TestOperand offsets = Values({1, 2, 1, 3}, Ints(6, 0));
  EXPECT_EQ(LabelOf(Conv({kX, kOne, offsets}, {.offset_fraction = 30, .shift = 62})), "deformable_conv2d_c7");
  EXPECT_EQ(LabelOf(Conv({kX, Constant({1, 1, 1, 1}, {0}), offsets}, {.offset_fraction = 30, .shift = 62})),
            "deformable_conv2d_c7");
}

}  // namespace
}  // namespace tally
