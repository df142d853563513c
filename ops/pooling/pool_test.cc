// max_pool, max_pool_indices and window_sum.
#include <gtest/gtest.h>

#include "ops/pooling/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

PoolAttrs Windows1(int64_t kernel, int64_t stride = 1, int64_t begin = 0, int64_t end = 0,
                   bool ceil = false) {
  return {{kernel}, {stride}, {1}, {begin}, {end}, ceil};
}

OpCase Pool(Opcode op, TestOperand x, const PoolAttrs& attrs) {
  return {.op = op, .operands = {std::move(x)}, .attributes = Pack(attrs)};
}
OpCase Max(TestOperand x, const PoolAttrs& attrs) { return Pool(Opcode::kMaxPool, std::move(x), attrs); }
OpCase Indices(TestOperand x, const PoolAttrs& attrs) {
  return Pool(Opcode::kMaxPoolIndices, std::move(x), attrs);
}
OpCase Sum(TestOperand x, const WindowSumAttrs& attrs) {
  return {.op = Opcode::kWindowSum, .operands = {std::move(x)}, .attributes = Pack(attrs)};
}

const TestOperand kRow = Values({1, 1, 3}, {-3, -1, -2});

TEST(MaxPool, TakesTheMaximumOfEachWindow) {
  const auto y = RunOp(Max(kRow, Windows1(2)));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[1,1,2] in [-3, -1]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-1, -1}));
  EXPECT_EQ(y->gas, 2 * (32 * 2 + 96) + 512 + 4 * 3 + 2 * (48 * 2 + 384));
}

TEST(MaxPool, PaddingOfEitherEndNeverWins) {
  const auto y = RunOp(Max(kRow, Windows1(2, 2, 1, 0)));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-3, -1}));
  const auto end = RunOp(Max(kRow, Windows1(2, 2, 0, 1)));
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(end->values[0], (std::vector<int64_t>{-1, -2}));
}

// Core ML's includeLastPixel, which is ncnn's full padding, as an explicit end; ceil mode gives the same
// here.
TEST(MaxPool, CeilModeIsALongerEnd) {
  const TestOperand x = Values({1, 1, 6}, {1, 2, 3, 4, 5, 6});
  const auto ceil = RunOp(Max(x, Windows1(3, 2, 0, 0, true)));
  const auto longer = RunOp(Max(x, Windows1(3, 2, 0, 1)));
  ASSERT_TRUE(ceil.ok() && longer.ok());
  EXPECT_EQ(ceil->values[0], (std::vector<int64_t>{3, 5, 6}));
  EXPECT_EQ(ceil->values, longer->values);
}

TEST(MaxPool, HostileAttributesAreBounded) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  const TestOperand one = Values({1, 1, 1}, {7});
  EXPECT_EQ(LabelOf(Max(one, {{kMost}, {kMost}, {kMost}, {kMost}, {kMost}, true})), "max_pool_c3");
  const auto y = RunOp(Max(one, {{kMost}, {1}, {1}, {kMost - 1}, {0}, false}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{7}));
}

// Both operators on the case, whose labels end alike.
void ExpectRefusal(const TestOperand& x, const PoolAttrs& attrs, const std::string& end) {
  EXPECT_EQ(LabelOf(Max(x, attrs)), "max_pool_" + end);
  EXPECT_EQ(LabelOf(Indices(x, attrs)), "max_pool_indices_" + end);
}

TEST(MaxPool, C1_RefusesOtherRanks) {
  ExpectRefusal(Values({1, 1}, {0}), Windows1(1), "c1");
  ExpectRefusal(Values({1, 1, 1, 1, 1, 1}, {0}), Windows1(1), "c1");
}

TEST(MaxPool, C2_RefusesListsOfAnotherLength) {
  ExpectRefusal(kRow, {{1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}}, "c2");
  ExpectRefusal(kRow, {{1}, {1, 1}, {1}, {0}, {0}}, "c2");
  ExpectRefusal(kRow, {{1}, {1}, {1, 1}, {0}, {0}}, "c2");
  ExpectRefusal(kRow, {{1}, {1}, {1}, {0, 0}, {0}}, "c2");
  ExpectRefusal(kRow, {{1}, {1}, {1}, {0}, {0, 0}}, "c2");
}

TEST(MaxPool, C3_RefusesWindowsThatDoNotFit) {
  ExpectRefusal(kRow, Windows1(4), "c3");
  ExpectRefusal(kRow, Windows1(6, 2, 1, 0, true), "c3");
  ExpectRefusal(kRow, {{2}, {1}, {3}, {0}, {0}}, "c3");
}

TEST(MaxPool, C4_RefusesWindowsOfPaddingAlone) {
  ExpectRefusal(kRow, Windows1(2, 1, 2, 0), "c4");
  ExpectRefusal(kRow, Windows1(2, 1, 0, 2), "c4");
  ExpectRefusal(Values({1, 1, 2}, {0, 0}), {{2}, {1}, {3}, {1}, {1}}, "c4");
  EXPECT_EQ(LabelOf(Max(Values({1, 1, 2}, {0, 0}), {{2}, {1}, {2}, {1}, {1}})), "");
}

TEST(MaxPoolIndices, OfEqualMaximaTheFirstCounts) {
  const auto y = RunOp(Indices(Values({2, 1, 3}, {7, 7, 3, 1, 2, 3}), Windows1(2)));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{7, 7, 2, 3}));
  EXPECT_EQ(y->values[1], (std::vector<int64_t>{0, 1, 4, 5}));
  EXPECT_EQ(y->types[1].interval, (Interval{0, 5}));
  EXPECT_EQ(y->gas, 4 * (32 * 2 + 96) + 512 + 4 * 6 + 4 * (48 * 2 + 384));
}

TEST(MaxPoolIndices, C1_RefusesOtherRanks) {
  EXPECT_EQ(LabelOf(Indices(Values({}, {0}), Windows1(1))), "max_pool_indices_c1");
}
TEST(MaxPoolIndices, C2_RefusesListsOfAnotherLength) {
  EXPECT_EQ(LabelOf(Indices(kRow, {{1, 1}, {1}, {1}, {0}, {0}})), "max_pool_indices_c2");
}
TEST(MaxPoolIndices, C3_RefusesWindowsThatDoNotFit) {
  EXPECT_EQ(LabelOf(Indices(kRow, Windows1(5))), "max_pool_indices_c3");
}
TEST(MaxPoolIndices, C4_RefusesWindowsOfPaddingAlone) {
  EXPECT_EQ(LabelOf(Indices(kRow, Windows1(1, 1, 1, 0))), "max_pool_indices_c4");
}

TEST(WindowSum, SumsChannels) {
  const auto y = RunOp(Sum(Values({1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                           {{1, 3, 1}, {1, 1, 1}, {1, 1, 1}, {0, 1, 0}, {0, 1, 0}}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{4, 6, 9, 12, 15, 18, 12, 14}));
  EXPECT_EQ(y->types[0].interval, (Interval{0, 24}));
  EXPECT_EQ(y->gas, 8 * (96 * 3 + 224) + 512 + 4 * 8 + 4 * (48 * 3 + 384));
}

// Without padding an input of ends reaches both ends; with padding a dropped element counts as 0.
TEST(WindowSum, TheIntervalOfCompleteWindowsIsTight) {
  for (const int64_t end : {-4, 9}) {
    const auto y = RunOp(Sum(Values({3}, {end, end, end}, {-4, 9}), {{2}, {1}, {1}, {0}, {0}, 5}));
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y->types[0].interval, (Interval{2 * -9, 2 * 4}));
    EXPECT_EQ(y->values[0][0], 2 * (end - 5));
  }
  const auto padded = RunOp(Sum(Values({3}, {3, 4, 5}, {3, 5}), {{2}, {1}, {1}, {1}, {0}}));
  ASSERT_TRUE(padded.ok()) << padded.status();
  EXPECT_EQ(padded->types[0].interval, (Interval{0, 10}));
  EXPECT_EQ(padded->accumulator, (Interval{0, 10}));
}

// A window longer than the axis holds no more than the axis.
TEST(WindowSum, CountsTheElementsThatExist) {
  const auto y = RunOp(Sum(Values({2}, {5, 6}), {{9}, {1}, {1}, {8}, {8}}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].interval, (Interval{0, 12}));
  EXPECT_EQ(y->values[0].front(), 5);
}

TEST(WindowSum, C1_RefusesListsForAnotherRank) {
  const TestOperand x = Values({2, 2}, {0, 0, 0, 0});
  EXPECT_EQ(LabelOf(Sum(x, {{1}, {1}, {1}, {0}, {0}})), "window_sum_c1");
  EXPECT_EQ(LabelOf(Sum(x, {{1, 1}, {1, 1}, {1, 1}, {0, 0}, {0}})), "window_sum_c1");
}
TEST(WindowSum, C2_RefusesWindowsThatDoNotFit) {
  EXPECT_EQ(LabelOf(Sum(Values({3}, {0, 0, 0}), {{5}, {1}, {1}, {0}, {1}})), "window_sum_c2");
}
TEST(WindowSum, C3_RefusesWideConstants) {
  EXPECT_EQ(LabelOf(Sum(Constant({1}, {INT64_MAX}), {{1}, {1}, {1}, {0}, {0}, -1})), "window_sum_c3");
}

}  // namespace
}  // namespace tally
