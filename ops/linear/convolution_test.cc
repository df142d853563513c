#include <gtest/gtest.h>

#include "ops/linear/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

OpCase Conv(std::vector<TestOperand> operands, const ConvolutionAttrs& attrs) {
  return {.op = Opcode::kConvolution, .operands = std::move(operands), .attributes = Pack(attrs)};
}

ConvolutionAttrs Row(int64_t stride = 1, int64_t dilation = 1, int64_t begin = 0, int64_t end = 0) {
  return {.stride = {stride}, .dilation = {dilation}, .pad_begin = {begin}, .pad_end = {end}};
}

const TestOperand kRow = Values({1, 1, 3}, {11, 12, 13});

TEST(Convolution, SumsTheWindowAndAddsTheBias) {
  const auto y = RunOp(Conv({kRow, Values({1, 1, 2}, {1, 100}), Values({1}, {-5})}, Row()));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].shape.ToString(), "[1,1,2]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1206, 1307}));
  EXPECT_EQ(y->gas, 3 + 16 * 2 + 512 + 20 * 2 * 16 * (2 + 16) + 64 * 2);
}

TEST(Convolution, PaddingStandsForTheZeroPoint) {
  ConvolutionAttrs attrs = Row(1, 1, 1, 0);
  attrs.zero_x = 10;
  const auto y = RunOp(Conv({kRow, Values({1, 1, 2}, {1, 100})}, attrs));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{100, 201, 302}));
}

TEST(Convolution, BothZeroPointsAreSubtracted) {
  ConvolutionAttrs attrs = Row();
  attrs.zero_x = 10, attrs.zero_w = 3;
  const auto y = RunOp(Conv({kRow, Values({1, 1, 2}, {4, 1})}, attrs));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1 * 1 + 2 * -2, 2 * 1 + 3 * -2}));
}

TEST(Convolution, BothPaddingsAndThreeAxes) {
  const ConvolutionAttrs attrs = {
      .stride = {1, 2, 1}, .dilation = {1, 1, 2}, .pad_begin = {0, 1, 0}, .pad_end = {1, 0, 0}};
  std::vector<int64_t> x(2 * 3 * 3);
  for (int64_t i = 0; i < 18; ++i) x[i] = i;
  const auto y =
      RunOp(Conv({Values({1, 1, 2, 3, 3}, x), Values({1, 1, 2, 2, 2}, {1, 10, 2, 20, 3, 30, 4, 40})}, attrs));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].shape.ToString(), "[1,1,2,2,1]");
  // Places (z, p): rows 2p - 1 and 2p of the planes z and z + 1, columns 0 and 2.
  EXPECT_EQ(y->values[0][0], 2 * 0 + 20 * 2 + 4 * 9 + 40 * 11);
  EXPECT_EQ(y->values[0][1], 3 + 50 + 2 * 6 + 20 * 8 + 3 * 12 + 30 * 14 + 4 * 15 + 40 * 17);
  EXPECT_EQ(y->values[0][2], 2 * 9 + 20 * 11);
  EXPECT_EQ(y->values[0][3], 12 + 140 + 2 * 15 + 20 * 17);
}

// Some x of ends reaches each end of the interval, channel by channel.
TEST(Convolution, TheIntervalBehindConstantWeightsIsTight) {
  ConvolutionAttrs attrs = Row();
  attrs.zero_x = 3, attrs.zero_w = -2;
  const TestOperand w = Constant({2, 2, 2}, {3, -9, 1, 1, -7, 0, 5, -2}), bias = Constant({2}, {100, -5});
  Interval reached = {INT64_MAX, INT64_MIN};
  Interval inferred;
  for (int ends = 0; ends < 16; ++ends) {
    std::vector<int64_t> x;
    for (int i = 0; i < 4; ++i) x.push_back(ends >> i & 1 ? 20 : -10);
    const auto y = RunOp(Conv({Values({1, 2, 2}, x, {-10, 20}), w, bias}, attrs));
    ASSERT_TRUE(y.ok()) << y.status();
    for (const int64_t v : y->values[0]) reached = reached.Hull({v, v});
    inferred = y->types[0].interval;
  }
  EXPECT_EQ(reached, inferred);
}

TEST(Convolution, HostileAttributesAreBounded) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  const TestOperand one = Values({1, 1, 1}, {7});
  const auto y = RunOp(Conv({one, one}, Row(kMost, kMost, kMost, kMost)));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{0, 49, 0}));
}

TEST(Convolution, C1_RefusesOtherRanks) {
  EXPECT_EQ(LabelOf(Conv({Values({1, 1}, {0}), Values({1, 1}, {0})}, Row())), "convolution_c1");
  EXPECT_EQ(LabelOf(Conv({kRow, Values({1, 1, 1, 1}, {0})}, Row())), "convolution_c1");
}
TEST(Convolution, C2_RefusesListsOfAnotherLength) {
  ConvolutionAttrs attrs = Row();
  attrs.pad_end = {0, 0};
  EXPECT_EQ(LabelOf(Conv({kRow, Values({1, 1, 1}, {0})}, attrs)), "convolution_c2");
}
TEST(Convolution, C3_RefusesGroupsThatDoNotDivideTheChannels) {
  ConvolutionAttrs attrs = Row();
  attrs.groups = 2;
  EXPECT_EQ(LabelOf(Conv({kRow, Values({2, 1, 1}, {0, 0})}, attrs)), "convolution_c3");
  EXPECT_EQ(LabelOf(Conv({Values({1, 2, 1}, {0, 0}), Values({1, 1, 1}, {0})}, attrs)), "convolution_c3");
}
TEST(Convolution, C4_RefusesWeightsOfOtherInputChannels) {
  EXPECT_EQ(LabelOf(Conv({kRow, Values({1, 2, 1}, {0, 0})}, Row())), "convolution_c4");
}
TEST(Convolution, C5_RefusesKernelsThatDoNotFit) {
  EXPECT_EQ(LabelOf(Conv({kRow, Values({1, 1, 2}, {0, 0})}, Row(1, 3))), "convolution_c5");
  EXPECT_EQ(LabelOf(Conv({kRow, Values({1, 1, 2}, {0, 0})}, Row(1, 3, 0, 1))), "");
}
TEST(Convolution, C6_RefusesABiasOfAnotherShape) {
  EXPECT_EQ(LabelOf(Conv({kRow, Values({2, 1, 1}, {0, 0}), Values({1}, {0})}, Row())), "convolution_c6");
}
TEST(Convolution, C7_RefusesZerosThatLeave64Bits) {
  ConvolutionAttrs attrs = Row();
  attrs.zero_x = 1;
  EXPECT_EQ(LabelOf(Conv({Constant({1, 1, 1}, {INT64_MIN}), Values({1, 1, 1}, {0})}, attrs)),
            "convolution_c7");
  attrs.zero_x = 0, attrs.zero_w = -1;
  EXPECT_EQ(LabelOf(Conv({Values({1, 1, 1}, {0}), Constant({1, 1, 1}, {INT64_MAX})}, attrs)),
            "convolution_c7");
}

}  // namespace
}  // namespace tally
