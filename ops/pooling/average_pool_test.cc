#include <gtest/gtest.h>

#include "base/division.h"
#include "ops/pooling/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

AveragePoolAttrs Windows1(int64_t kernel, int64_t stride = 1, int64_t begin = 0, int64_t end = 0) {
  return {.kernel = {kernel}, .stride = {stride}, .dilation = {1}, .pad_begin = {begin}, .pad_end = {end}};
}

OpCase Average(TestOperand x, const AveragePoolAttrs& attrs) {
  return {.op = Opcode::kAveragePool, .operands = {std::move(x)}, .attributes = Pack(attrs)};
}

const TestOperand kRow = Values({1, 1, 3}, {5, -2, -3});

TEST(AveragePool, DividesByTheElementsOrByThePaddedTaps) {
  AveragePoolAttrs attrs = Windows1(2, 1, 1, 0);
  const auto inside = RunOp(Average(kRow, attrs));
  attrs.count_include_pad = true;
  const auto padded = RunOp(Average(kRow, attrs));
  ASSERT_TRUE(inside.ok() && padded.ok()) << inside.status() << padded.status();
  EXPECT_EQ(inside->values[0], (std::vector<int64_t>{5, 2, -3}));
  EXPECT_EQ(padded->values[0], (std::vector<int64_t>{3, 2, -3}));
  EXPECT_EQ(inside->gas, 3 * (24 * 2 + 120) + 3584 + (512 + 4 * 3 + 3 * (48 * 2 + 384)));
}

// PyTorch's divisor: taps after the padding do not count even when padding does.
TEST(AveragePool, TheTailOfCeilModeDoesNotCount) {
  AveragePoolAttrs attrs = Windows1(3, 2, 1, 1);
  attrs.ceil_mode = attrs.count_include_pad = true;
  const auto y = RunOp(Average(Values({1, 1, 4}, {6, 12, 18, 24}), attrs));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{6, 18, 12}));  // 18 / 3, 54 / 3, 24 / 2
}

TEST(AveragePool, RoundsOnceOntoAnotherGrid) {
  AveragePoolAttrs attrs = Windows1(3);
  attrs.multiplier = 3, attrs.shift = 2, attrs.zero_in = 1, attrs.zero_out = 100;
  attrs.lo = 0, attrs.hi = 104;
  // Sums 4, 10, 23 less 3 * 1: 1 * 3 / 12, 7 * 3 / 12 and 20 * 3 / 12.
  const auto y = RunOp(Average(Values({1, 1, 5}, {0, 1, 3, 6, 14}), attrs));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{100, 102, 104}));
}

TEST(AveragePool, TheIntervalIsThatOfTheAverageAndTight) {
  for (const int64_t end : {-7, 12}) {
    const auto y = RunOp(Average(Values({1, 1, 2}, {end, end}, {-7, 12}), Windows1(2, 1, 1, 1)));
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y->types[0].interval, (Interval{-7, 12}));
    EXPECT_EQ(y->values[0], (std::vector<int64_t>{end, end, end}));
  }
  AveragePoolAttrs attrs = Windows1(2, 1, 1, 1);
  attrs.count_include_pad = true;
  const auto y = RunOp(Average(Values({1, 1, 2}, {8, 8}, {6, 12}), attrs));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].interval, (Interval{0, 12}));
}

// Section Semantics: the multiplier with which an engine avoids the division, up to the bound and not beyond.
TEST(AveragePool, AMultiplierForEachCountIsTheExactAverage) {
  constexpr int64_t kBound = int64_t{1} << 29;
  for (int64_t n = 1; n <= 1500; ++n) {
    const int k = BitLength(static_cast<uint64_t>(n - 1));
    const int64_t m = ((((int64_t{1} << 30) + 1) << k)) / n;
    const auto fast = [&](int64_t sum) {
      return RoundShift<int64_t>(Rounding::kHalfUp, sum * m, 30 + k, sum < 0);
    };
    const auto check = [&](int64_t sum) {
      ASSERT_EQ(fast(sum), RoundDiv<int64_t>(Rounding::kHalfAway, sum, n)) << sum << " / " << n;
    };
    for (int64_t sum = -3 * n; sum <= 3 * n; ++sum) check(sum);
    for (int64_t near = 0; near <= 2 * n; ++near) check(kBound - 1 - near), check(near + 1 - kBound);
  }
}

TEST(AveragePool, C1_RefusesOtherRanks) {
  EXPECT_EQ(LabelOf(Average(Values({1, 1}, {0}), Windows1(1))), "average_pool_c1");
}
TEST(AveragePool, C2_RefusesListsOfAnotherLength) {
  AveragePoolAttrs attrs = Windows1(1);
  attrs.kernel = {1, 1};
  EXPECT_EQ(LabelOf(Average(kRow, attrs)), "average_pool_c2");
}
TEST(AveragePool, C3_RefusesWindowsThatDoNotFit) {
  EXPECT_EQ(LabelOf(Average(kRow, Windows1(4))), "average_pool_c3");
}
TEST(AveragePool, C4_RefusesWindowsOfPaddingUnlessItCounts) {
  AveragePoolAttrs attrs = Windows1(1, 1, 1, 0);
  EXPECT_EQ(LabelOf(Average(kRow, attrs)), "average_pool_c4");
  attrs.count_include_pad = true;
  EXPECT_EQ(LabelOf(Average(kRow, attrs)), "");
}
TEST(AveragePool, C5_RefusesWideConstants) {
  EXPECT_EQ(LabelOf(Average(Constant({1, 1, 1}, {INT64_MIN}), Windows1(1))), "average_pool_c5");
}
TEST(AveragePool, C6_RefusesAnEmptyClamp) {
  AveragePoolAttrs attrs = Windows1(1);
  attrs.lo = 1, attrs.hi = 0;
  EXPECT_EQ(LabelOf(Average(kRow, attrs)), "average_pool_c6");
}
TEST(AveragePool, C7_RefusesDoubleRounding) {
  AveragePoolAttrs attrs = Windows1(1);
  attrs.rounding = Rounding::kDouble;
  EXPECT_EQ(LabelOf(Average(kRow, attrs)), "average_pool_c7");
}
TEST(AveragePool, C8_RefusesWhatLeaves64Bits) {
  AveragePoolAttrs attrs = Windows1(1);
  attrs.shift = 62;
  EXPECT_EQ(LabelOf(Average(kRow, attrs)), "average_pool_c8");
  attrs.shift = 61;
  EXPECT_EQ(LabelOf(Average(kRow, attrs)), "");
  attrs = Windows1(2);
  attrs.multiplier = (int64_t{1} << 31) - 1;
  // 2 * (2 * 2^29 * (2^31 - 1) + 2) is just below 2^62, twice of it just below 2^63.
  const int64_t most = int64_t{1} << 30;
  EXPECT_EQ(LabelOf(Average(Values({1, 1, 2}, {0, 0}, {0, most}), attrs)), "");
  EXPECT_EQ(LabelOf(Average(Values({1, 1, 2}, {0, 0}, {0, most + 1}), attrs)), "average_pool_c8");
}

}  // namespace
}  // namespace tally
