#include <gtest/gtest.h>

#include "ops/pooling/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

OpCase Pool(TestOperand x, const MaxPool2dAttrs& attrs, Profile profile = Profile::kCore) {
  return {
      .op = Opcode::kMaxPool2d, .profile = profile, .operands = {std::move(x)}, .attributes = Pack(attrs)};
}

const std::vector<int64_t> kMatrix = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12};

TEST(MaxPool2d, TakesTheMaximumOfEachWindow) {
  const auto y = RunOp(Pool(Values({1, 2, 2, 3}, kMatrix, {-20, 20}), {.pool_size = {2, 2}}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[1,2,1,2] in [-20, 20]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{5, 5, 11, 11}));
  EXPECT_EQ(y->gas, 4 * (32 * 4 + 96) + 512 + 4 * 12 + 2 * (48 * 4 + 384));
}

TEST(MaxPool2d, PaddingNeverEscapes) {
  const auto y = RunOp(Pool(Values({1, 1, 2, 2}, {-9, -8, -7, -6}),
                            {.pool_size = {2, 3}, .strides = {2, 1}, .padding = {1, 2}}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[1,1,2,4] in [-9, -6]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-9, -8, -8, -8, -7, -6, -6, -6}));
}

TEST(MaxPool2d, OnePaddingServesBothAxes) {
  const TestOperand x = Values({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto one = RunOp(Pool(x, {.pool_size = {3, 3}, .strides = {2, 2}, .padding = {1}}));
  const auto two = RunOp(Pool(x, {.pool_size = {3, 3}, .strides = {2, 2}, .padding = {1, 1}}));
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(one->values[0], (std::vector<int64_t>{5, 6, 8, 9}));
  EXPECT_EQ(one->values, two->values);
}

TEST(MaxPool2d, CeilModeKeepsTheIncompleteWindow) {
  const TestOperand x = Values({1, 1, 1, 6}, {1, 2, 3, 4, 5, 6});
  const auto floor = RunOp(Pool(x, {.pool_size = {1, 3}, .strides = {1, 2}}));
  const auto ceil = RunOp(Pool(x, {.pool_size = {1, 3}, .strides = {1, 2}, .ceil_mode = true}));
  ASSERT_TRUE(floor.ok() && ceil.ok());
  EXPECT_EQ(floor->values[0], (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(ceil->values[0], (std::vector<int64_t>{3, 5, 6}));
}

TEST(MaxPool2d, KeepsThePublishedPrecision) {
  const auto y = RunOp(Pool(Values({1, 1, 1, 2}, {-500, 3}), {.pool_size = {1, 2}}, Profile::kCvm));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->precisions, (std::vector<int>{10}));
}

TEST(MaxPool2d, C1_RefusesOperandsThatAreNotFourDimensional) {
  EXPECT_EQ(LabelOf(Pool(Values({1, 1, 1}, {0}), {})), "max_pool2d_c1");
}

TEST(MaxPool2d, C2_RefusesWindowsThatFitInThePadding) {
  const TestOperand x = Values({1, 1, 2, 2}, {0, 0, 0, 0});
  EXPECT_EQ(LabelOf(Pool(x, {.pool_size = {2, 2}, .padding = {2}})), "max_pool2d_c2");
  EXPECT_EQ(LabelOf(Pool(x, {.pool_size = {2, 1}, .padding = {1, 1}})), "max_pool2d_c2");
  EXPECT_EQ(LabelOf(Pool(x, {.pool_size = {2, 1}, .padding = {1, 0}})), "");
}

TEST(MaxPool2d, C3_RefusesWindowsLargerThanTheInput) {
  const TestOperand x = Values({1, 1, 2, 2}, {0, 0, 0, 0});
  EXPECT_EQ(LabelOf(Pool(x, {.pool_size = {3, 1}})), "max_pool2d_c3");
  EXPECT_EQ(LabelOf(Pool(x, {.pool_size = {1, 5}, .padding = {0, 1}})), "max_pool2d_c3");
  EXPECT_EQ(LabelOf(Pool(x, {.pool_size = {1, 4}, .padding = {0, 1}})), "");
}

TEST(MaxPool2d, C4_RefusesWindowsBehindTheInput) {
  const TestOperand x = Values({1, 1, 1, 3}, {0, 0, 0});
  // Windows of 2 start at -1 and 3: the second holds padding only.
  EXPECT_EQ(LabelOf(Pool(x, {.pool_size = {1, 2}, .strides = {1, 4}, .padding = {0, 1}, .ceil_mode = true})),
            "max_pool2d_c4");
  EXPECT_EQ(LabelOf(Pool(x, {.pool_size = {1, 2}, .strides = {1, 4}, .padding = {0, 1}})), "");
}

TEST(MaxPool2d, AttributesHaveClosedRanges) {
  const TestOperand x = Values({1, 1, 1, 1}, {0});
  EXPECT_EQ(LabelOf(Pool(x, {.pool_size = {0, 1}})), "attribute_range");
  EXPECT_EQ(LabelOf(Pool(x, {.strides = {1, 4097}})), "attribute_range");
  EXPECT_EQ(LabelOf(Pool(x, {.padding = {-1}})), "attribute_range");
  EXPECT_EQ(LabelOf(Pool(x, {.padding = {}})), "attribute_length");
}

}  // namespace
}  // namespace tally
