#include <gtest/gtest.h>

#include <algorithm>

#include "ops/rescale/attrs.h"
#include "ops/rescale/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

using Names = std::vector<std::string>;

LoweringCase Prelu(TestOperand x, TestOperand m, TestOperand s, PreluAttrs attrs) {
  return {.name = "prelu", .operands = {std::move(x), std::move(m), std::move(s)}, .attributes = Pack(attrs)};
}

TEST(PreluLowering, RescalesEachSideByItsOwnMultiplier) {
  const auto y = RunLowering(Prelu(Values({6}, {-8, -3, -1, 0, 1, 7}), Constant({1}, {1}), Constant({1}, {2}),
                                   {.multiplier = 3, .lo = -128, .hi = 127}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-2, -1, 0, 0, 3, 21}));
  EXPECT_EQ(y->types[0].interval, (Interval{-2, 21}));
  EXPECT_EQ(y->instructions, (Names{"compare", "clip", "rescale", "clip", "rescale", "select"}));
}

TEST(PreluLowering, IsOneRescaleOnOneSide) {
  const PreluAttrs attrs = {.lo = -128, .hi = 127};
  const TestOperand m = Constant({1}, {1}), s = Constant({1}, {2});
  EXPECT_EQ(RunLowering(Prelu(Values({2}, {0, 5}), m, s, attrs))->instructions, (Names{"rescale"}));
  EXPECT_EQ(RunLowering(Prelu(Values({2}, {-5, -1}), m, s, attrs))->instructions, (Names{"rescale"}));
}

// With equal multipliers on both sides it is the rescale, and its interval is exact for any slopes.
TEST(PreluLowering, AgreesWithRescaleAndHasAnExactInterval) {
  const TestOperand x = Values({8}, {-4, -3, -2, -1, 0, 1, 2, 3});
  for (int64_t zero = -6; zero <= 6; ++zero) {
    for (const int64_t slope : {-3, 0, 1, 5}) {
      const auto y = RunLowering(Prelu(x, Constant({1}, {slope}), Constant({1}, {1}),
                                       {.multiplier = 5, .shift = 1, .zero_in = zero, .lo = -20, .hi = 20}));
      ASSERT_TRUE(y.ok()) << y.status();
      const auto [lo, hi] = std::minmax_element(y->values[0].begin(), y->values[0].end());
      EXPECT_EQ(y->types[0].interval, (Interval{*lo, *hi})) << zero << ' ' << slope;
      if (slope != 5) continue;
      const auto rescaled =
          RunOp({.op = Opcode::kRescale,
                 .operands = {x, Constant({1}, {5}), Constant({1}, {0}), Constant({1}, {1})},
                 .attributes = Pack(RescaleAttrs{.zero_in = zero, .lo = -20, .hi = 20})});
      EXPECT_EQ(y->values, rescaled->values) << zero;
    }
  }
}

TEST(PreluLowering, RefusesWhatRescaleRefuses) {
  const TestOperand x = Values({2}, {-1, 1}), scalar = Constant({}, {1}), one = Constant({1}, {1});
  EXPECT_EQ(LabelOf(Prelu(x, scalar, scalar, {})), "lowering_operands");
  EXPECT_EQ(LabelOf(Prelu(x, Values({1}, {1}), one, {})), "rescale_c2");
  EXPECT_EQ(LabelOf(Prelu(x, Constant({3}, {1, 1, 1}), Constant({3}, {1, 1, 1}), {})), "rescale_c4");
}

}  // namespace
}  // namespace tally
