#include <gtest/gtest.h>

#include "ops/linear/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

OpCase Conv(std::vector<TestOperand> operands, const Conv2dAttrs& attrs = {},
            Profile profile = Profile::kCore) {
  return {
      .op = Opcode::kConv2d, .profile = profile, .operands = std::move(operands), .attributes = Pack(attrs)};
}

const std::vector<int64_t> kOneToNine = {1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST(Conv2d, SumsTheWindowAndAddsTheBias) {
  const auto y = RunOp(
      Conv({Values({1, 1, 3, 3}, kOneToNine), Values({1, 1, 2, 2}, {1, 10, 100, 1000}), Values({1}, {-7})}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].shape.ToString(), "[1,1,2,2]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{5414, 6525, 8747, 9858}));
  EXPECT_EQ(y->gas, 9 + 16 * 8 + 512 + 20 * 4 * 16 * (4 + 16) + 64 * 2 * 4);
}

TEST(Conv2d, PositionsOutsideTheInputContributeZero) {
  const auto y =
      RunOp(Conv({Values({1, 1, 1, 1}, {5}), Values({1, 1, 3, 3}, kOneToNine)}, {.padding = {1, 1}}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{25}));  // the centre weight alone
  // x is 5, but a dropped term counts as x = 0.
  EXPECT_EQ(y->types[0].interval, (Interval{0, 9 * 5 * 9}));
}

TEST(Conv2d, StridesAndDilationsApplyPerAxis) {
  std::vector<int64_t> x(5 * 7);
  for (int64_t i = 0; i < 35; ++i) x[i] = i;
  const auto y = RunOp(Conv({Values({1, 1, 5, 7}, x), Values({1, 1, 2, 2}, {1, 0, 0, 100})},
                            {.stride = {2, 1}, .dilation = {1, 3}}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].shape.ToString(), "[1,1,2,4]");
  // y[p, q] = x[2p, q] + 100 x[2p + 1, q + 3]
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1000, 1101, 1202, 1303, 2414, 2515, 2616, 2717}));
}

// A GPU implementation takes groups == OC for depthwise although each group reads two channels.
TEST(Conv2d, GroupsReadTheirOwnChannels) {
  const auto y = RunOp(
      Conv({Values({1, 4, 1, 1}, {1, 2, 3, 4}), Values({2, 2, 1, 1}, {1, 10, 100, 1000})}, {.groups = 2}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{21, 4300}));
}

TEST(Conv2d, BatchesAndOutputChannelsAreIndependent) {
  const auto y =
      RunOp(Conv({Values({2, 1, 1, 2}, {1, 2, 3, 4}), Values({2, 1, 1, 1}, {1, -1}), Values({2}, {0, 100})}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1, 2, 99, 98, 3, 4, 97, 96}));
}

// Saturating 8-bit multiply-adds lose these sums.
TEST(Conv2d, ExtremesOfInt8AreExact) {
  const std::vector<int64_t> low(18, -127), high(18, 127);
  const auto y = RunOp(Conv({Values({1, 2, 3, 3}, low), Values({1, 2, 3, 3}, high)}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-18 * 127 * 127}));
}

TEST(Conv2d, ConstantWeightsGiveExactBoundsPerChannel) {
  TestOperand x = Values({1, 2, 1, 1}, {0, 0}, {-10, 20});
  const auto y = RunOp(Conv({x, Constant({2, 2, 1, 1}, {3, -1, 1, 1}), Constant({2}, {100, -5})}));
  ASSERT_TRUE(y.ok()) << y.status();
  // channel 0: 3x0 - x1 + 100 in [50, 170]; channel 1: x0 + x1 - 5 in [-25, 35]
  EXPECT_EQ(y->types[0].interval, (Interval{-25, 170}));
  // Partial sums of channel 0 may omit the bias: 3x0 - x1 alone reaches -50, with it 170.
  EXPECT_EQ(y->accumulator, (Interval{-50, 170}));
}

TEST(Conv2d, VariableWeightsGiveTermsTimesTheirCorners) {
  const auto y = RunOp(Conv({Values({1, 2, 1, 1}, {0, 0}, {-10, 20}), Values({1, 2, 1, 1}, {0, 0}, {-3, 2}),
                             Values({1}, {0}, {1, 4})}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].interval, (Interval{2 * -60 + 1, 2 * 40 + 4}));
  EXPECT_EQ(y->accumulator, (Interval{-120, 84}));
}

TEST(Conv2d, PublishesThePrecisionsOfCvm) {
  const std::vector<int64_t> x(8, 127);
  const TestOperand data = Values({1, 2, 2, 2}, x), weights = Values({1, 2, 2, 2}, x);
  const auto plain = RunOp(Conv({data, weights}, {}, Profile::kCvm));
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->precisions, (std::vector<int>{8 + 8 + 4}));
  const auto biased = RunOp(Conv({data, weights, Values({1}, {(1 << 21) - 1})}, {}, Profile::kCvm));
  ASSERT_TRUE(biased.ok()) << biased.status();
  EXPECT_EQ(biased->precisions, (std::vector<int>{22 + 1}));
}

TEST(Conv2d, ProfileCoreTakesWideOperandsThatProveInt64) {
  const int64_t wide = (int64_t{1} << 46) - 1;
  const auto y = RunOp(Conv({Values({1, 2, 1, 1}, {wide, -wide}), Constant({1, 2, 1, 1}, {1, -1})}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{2 * wide}));
}

TEST(Conv2d, RefusesSumsThatLeaveTheirRange) {
  const int64_t big = int64_t{1} << 46;
  // 2^47 is one more than a tensor holds.
  EXPECT_EQ(LabelOf(Conv({Values({1, 2, 1, 1}, {big, big}), Constant({1, 2, 1, 1}, {1, 1})})), "value_range");
  // Products of 2^92 cannot be accumulated in int64.
  EXPECT_EQ(LabelOf(Conv({Values({1, 1, 1, 1}, {big}), Values({1, 1, 1, 1}, {big})})), "accumulator_range");
}

TEST(Conv2d, C1_RefusesOperandsThatAreNotFourDimensional) {
  EXPECT_EQ(LabelOf(Conv({Values({1, 1, 1}, {0}), Values({1, 1, 1, 1}, {0})})), "conv2d_c1");
  EXPECT_EQ(LabelOf(Conv({Values({1, 1, 1, 1}, {0}), Values({1, 1}, {0})})), "conv2d_c1");
}

TEST(Conv2d, C2_RefusesGroupsThatDoNotDivideTheChannels) {
  const TestOperand x = Values({1, 4, 1, 1}, {0, 0, 0, 0}), w = Values({2, 1, 1, 1}, {0, 0});
  EXPECT_EQ(LabelOf(Conv({x, w}, {.groups = 3})), "conv2d_c2");
  EXPECT_EQ(LabelOf(Conv({x, w}, {.groups = 4})), "conv2d_c2");
}

TEST(Conv2d, C3_RefusesWeightsOfOtherInputChannels) {
  const TestOperand x = Values({1, 4, 1, 1}, {0, 0, 0, 0});
  EXPECT_EQ(LabelOf(Conv({x, Values({1, 3, 1, 1}, {0, 0, 0})})), "conv2d_c3");
  EXPECT_EQ(LabelOf(Conv({x, Values({2, 4, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0})}, {.groups = 2})), "conv2d_c3");
}

TEST(Conv2d, C4_RefusesKernelsThatDoNotFit) {
  const TestOperand x = Values({1, 1, 2, 2}, {0, 0, 0, 0});
  const TestOperand tall = Values({1, 1, 2, 1}, {0, 0}), flat = Values({1, 1, 1, 2}, {0, 0});
  EXPECT_EQ(LabelOf(Conv({x, tall}, {.dilation = {2, 1}})), "conv2d_c4");
  EXPECT_EQ(LabelOf(Conv({x, flat}, {.padding = {0, 1}, .dilation = {1, 4}})), "conv2d_c4");
  EXPECT_EQ(LabelOf(Conv({x, flat}, {.padding = {0, 1}, .dilation = {1, 3}})), "");
}

TEST(Conv2d, C5_RefusesABiasOfAnotherShape) {
  const TestOperand x = Values({1, 1, 1, 1}, {0}), w = Values({2, 1, 1, 1}, {0, 0});
  EXPECT_EQ(LabelOf(Conv({x, w, Values({1}, {0})})), "conv2d_c5");
  EXPECT_EQ(LabelOf(Conv({x, w, Values({2, 1}, {0, 0})})), "conv2d_c5");
}

TEST(Conv2d, C6_RefusesWideFactorsInProfileCvm) {
  const TestOperand narrow = Values({1, 1, 1, 1}, {-127}), wide = Values({1, 1, 1, 1}, {128});
  EXPECT_EQ(LabelOf(Conv({wide, narrow}, {}, Profile::kCvm)), "conv2d_c6");
  EXPECT_EQ(LabelOf(Conv({narrow, wide}, {}, Profile::kCvm)), "conv2d_c6");
  EXPECT_EQ(LabelOf(Conv({narrow, narrow}, {}, Profile::kCvm)), "");
  EXPECT_EQ(LabelOf(Conv({wide, wide}, {}, Profile::kCore)), "");
}

TEST(Conv2d, AttributesHaveClosedRanges) {
  const TestOperand one = Values({1, 1, 1, 1}, {0});
  EXPECT_EQ(LabelOf(Conv({one, one}, {.stride = {4096, 4096}})), "");
  EXPECT_EQ(LabelOf(Conv({one, one}, {.stride = {1, 4097}})), "attribute_range");
  EXPECT_EQ(LabelOf(Conv({one, one}, {.stride = {0, 1}})), "attribute_range");
  EXPECT_EQ(LabelOf(Conv({one, one}, {.padding = {4097, 0}})), "attribute_range");
  EXPECT_EQ(LabelOf(Conv({one, one}, {.dilation = {0, 1}})), "attribute_range");
  EXPECT_EQ(LabelOf(Conv({one, one}, {.groups = 0})), "attribute_range");
  EXPECT_EQ(LabelOf(Conv({one, one}, {.padding = {0}})), "attribute_length");
}

}  // namespace
}  // namespace tally
