#include <gtest/gtest.h>

#include "ops/pooling/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

// Every small pooling that max_pool2d accepts has the type and the values of its lowering.
TEST(MaxPool2dLowering, EqualsTheOperator) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 24; ++i) values.push_back(i * 7 % 11 - 5);
  const TestOperand x = Values({1, 1, 4, 6}, values, {-9, 9});
  int accepted = 0;
  for (int64_t size = 1; size <= 4; ++size) {
    for (int64_t stride = 1; stride <= 3; ++stride) {
      for (int64_t padding = 0; padding < 3; ++padding) {
        for (const bool ceil_mode : {false, true}) {
          const Attributes attributes = Pack(MaxPool2dAttrs{{size, 2}, {stride, 2}, {padding, 1}, ceil_mode});
          const auto defined = RunOp({.op = Opcode::kMaxPool2d, .operands = {x}, .attributes = attributes});
          if (!defined.ok()) continue;
          const auto lowered = RunLowering({.name = "max_pool2d", .operands = {x}, .attributes = attributes});
          ASSERT_TRUE(lowered.ok()) << lowered.status();
          EXPECT_EQ(lowered->values, defined->values);
          EXPECT_EQ(lowered->types, defined->types);
          ++accepted;
        }
      }
    }
  }
  EXPECT_GT(accepted, 40);
}

TEST(PowerPoolLowering, SquaresHaveNoNegativeBound) {
  const PowerPoolAttrs attrs = {
      .kernel = {2}, .stride = {1}, .dilation = {1}, .pad_begin = {0}, .pad_end = {0}, .zero = 1, .p = 2};
  const auto y = RunLowering({.name = "power_pool",
                              .operands = {Values({1, 1, 3}, {-2, 0, 4}, {-2, 4})},
                              .attributes = Pack(attrs)});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{9 + 1, 1 + 9}));
  EXPECT_EQ(y->types[0].interval, (Interval{0, 18}));
}

TEST(GlobalAveragePoolLowering, IsAnAverageOfAllPositions) {
  const auto y = RunLowering({.name = "global_average_pool",
                              .operands = {Values({1, 2, 2, 2}, {1, 2, 3, 5, -1, -1, -1, -3}, {-9, 9})},
                              .attributes = Pack(GlobalAveragePoolAttrs{})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[1,2,1,1] in [-9, 9]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{3, -2}));
}

LoweringCase AdaptiveAverage(TestOperand x, std::vector<int64_t> sizes) {
  AdaptiveAveragePoolAttrs attrs;
  attrs.sizes = std::move(sizes);
  return {.name = "adaptive_average_pool", .operands = {std::move(x)}, .attributes = Pack(attrs)};
}
LoweringCase AdaptiveMax(TestOperand x, std::vector<int64_t> sizes) {
  return {.name = "adaptive_max_pool",
          .operands = {std::move(x)},
          .attributes = Pack(AdaptiveMaxPoolAttrs{std::move(sizes)})};
}

TEST(AdaptivePoolLowering, BinsOverlapWhereTheyDoNotDivide) {
  // Bins [0, 2), [1, 4), [3, 5) of five elements.
  const TestOperand row = Values({1, 1, 5}, {1, 2, 30, 40, 50}, {0, 50});
  const auto average = RunLowering(AdaptiveAverage(row, {3}));
  ASSERT_TRUE(average.ok()) << average.status();
  EXPECT_EQ(average->values[0], (std::vector<int64_t>{2, 24, 45}));
  EXPECT_EQ(average->types[0].interval, (Interval{0, 75}));  // sums of three over a least bin of two
  EXPECT_EQ(RunLowering(AdaptiveMax(row, {3}))->values[0], (std::vector<int64_t>{2, 40, 50}));
}

TEST(AdaptivePoolLowering, EqualBinsAreWindows) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 24; ++i) values.push_back(i * 7 % 11 - 5);
  const TestOperand x = Values({1, 1, 4, 6}, values, {-9, 9});
  using Names = std::vector<std::string>;
  EXPECT_EQ(RunLowering(AdaptiveAverage(x, {2, 3}))->instructions, Names{"average_pool"});
  EXPECT_EQ(RunLowering(AdaptiveMax(x, {2, 3}))->instructions, Names{"max_pool"});
  EXPECT_EQ(RunLowering(AdaptiveMax(x, {4, 4}))->instructions, (Names{"take", "reduce"}));
  // More elements than there are: each is copied.
  EXPECT_EQ(RunLowering(AdaptiveMax(Values({1, 1, 2}, {3, 4}), {4}))->values[0],
            (std::vector<int64_t>{3, 3, 4, 4}));
}

TEST(AdaptivePoolLowering, RefusesOtherAxesAndTooManyBins) {
  const TestOperand row = Values({1, 1, 5}, {0, 0, 0, 0, 0});
  EXPECT_EQ(LabelOf(AdaptiveMax(row, {2, 2})), "lowering_operands");
  EXPECT_EQ(LabelOf(AdaptiveAverage(Values({5}, {0, 0, 0, 0, 0}), {2})), "lowering_operands");
  EXPECT_EQ(LabelOf(AdaptiveMax(row, {(int64_t{1} << 31) - 1})), "lowering_operands");
  EXPECT_EQ(LabelOf(AdaptiveAverage(row, {(int64_t{1} << 31) - 1})), "lowering_operands");
}

TEST(MaxPoolIndicesColumnMajorLowering, CountsPlacesByColumns) {
  // Two channels of 2 x 3.
  const TestOperand x = Values({1, 2, 2, 3}, {1, 9, 2, 3, 4, 5, 9, 1, 1, 1, 1, 9});
  const PoolAttrs windows = {{1, 2}, {1, 1}, {1, 1}, {0, 0}, {0, 0}};
  const auto y =
      RunLowering({.name = "max_pool_indices_column_major", .operands = {x}, .attributes = Pack(windows)});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{9, 9, 4, 5, 9, 1, 1, 9}));
  EXPECT_EQ(y->values[1], (std::vector<int64_t>{2, 2, 3, 5, 6, 8, 7, 11}));
  EXPECT_EQ(y->types[1].interval, (Interval{0, 11}));
}

TEST(SlidingWindowsLowering, RefusesWindowsLongerThanTheAxis) {
  EXPECT_EQ(LabelOf(LoweringCase{.name = "sliding_windows",
                                 .operands = {Values({2}, {0, 0})},
                                 .attributes = Pack(SlidingWindowsAttrs{.size = 3})}),
            "lowering_operands");
}

}  // namespace
}  // namespace tally
