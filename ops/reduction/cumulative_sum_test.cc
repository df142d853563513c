#include <gtest/gtest.h>

#include <algorithm>

#include "ops/reduction/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase CumulativeSumCase(TestOperand x, const CumulativeSumAttrs& attrs) {
  return {.op = Opcode::kCumulativeSum, .operands = {std::move(x)}, .attributes = Pack(attrs)};
}

TEST(CumulativeSum, HasFourForms) {
  const TestOperand x = Values({4}, {1, 2, 3, 4});
  EXPECT_EQ(RunOp(CumulativeSumCase(x, {}))->values[0], (Ints{1, 3, 6, 10}));
  EXPECT_EQ(RunOp(CumulativeSumCase(x, {.exclusive = true}))->values[0], (Ints{0, 1, 3, 6}));
  EXPECT_EQ(RunOp(CumulativeSumCase(x, {.reverse = true}))->values[0], (Ints{10, 9, 7, 4}));
  EXPECT_EQ(RunOp(CumulativeSumCase(x, {.exclusive = true, .reverse = true}))->values[0], (Ints{9, 7, 4, 0}));
}

TEST(CumulativeSum, WorksAlongAnyAxis) {
  const TestOperand x = Values({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  EXPECT_EQ(RunOp(CumulativeSumCase(x, {.axis = 0}))->values[0],
            (Ints{1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18}));
  EXPECT_EQ(RunOp(CumulativeSumCase(x, {.axis = -2}))->values[0],
            (Ints{1, 2, 4, 6, 9, 12, 7, 8, 16, 18, 27, 30}));
  EXPECT_EQ(RunOp(CumulativeSumCase(x, {.axis = 2}))->gas, 28 * 12);
}

// The constant tensors of an interval's ends reach the ends of the result's, whatever their signs.
TEST(CumulativeSum, HasTightBounds) {
  for (const Interval& of : {Interval{-3, 5}, Interval{2, 5}, Interval{-5, -2}, Interval{0, 4}}) {
    for (const bool exclusive : {false, true}) {
      const CumulativeSumAttrs attrs = {.exclusive = exclusive};
      const auto low = RunOp(CumulativeSumCase(Values({3}, Ints(3, of.lo), of), attrs));
      const auto high = RunOp(CumulativeSumCase(Values({3}, Ints(3, of.hi), of), attrs));
      ASSERT_TRUE(low.ok() && high.ok()) << low.status();
      const auto least = std::min_element(low->values[0].begin(), low->values[0].end());
      const auto greatest = std::max_element(high->values[0].begin(), high->values[0].end());
      EXPECT_EQ(low->types[0].interval, (Interval{*least, *greatest})) << of.ToString();
      EXPECT_EQ(low->accumulator,
                (Interval{std::min<int64_t>(0, 3 * of.lo), std::max<int64_t>(0, 3 * of.hi)}));
    }
  }
}

TEST(CumulativeSum, C1_RefusesAnAxisOutsideTheRank) {
  EXPECT_EQ(LabelOf(CumulativeSumCase(Values({2}, {1, 2}), {.axis = 1})), "cumulative_sum_c1");
  EXPECT_EQ(LabelOf(CumulativeSumCase(Values({}, {1}), {.axis = 0})), "cumulative_sum_c1");
}

TEST(CumulativeSum, RefusesSumsThatLeaveTheirRange) {
  EXPECT_EQ(LabelOf(CumulativeSumCase(Values({2}, {0, 0}, {0, int64_t{1} << 46}), {})), "value_range");
  EXPECT_EQ(LabelOf(CumulativeSumCase(Values({1}, {0}, {0, int64_t{1} << 46}), {})), "");
  EXPECT_EQ(LabelOf(CumulativeSumCase(Constant({2}, {INT64_MAX, 1}), {})), "accumulator_range");
}

}  // namespace
}  // namespace tally
