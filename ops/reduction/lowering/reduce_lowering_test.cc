#include <gtest/gtest.h>

#include "ops/reduction/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

TEST(ReduceLowering, SumAndMaxEqualTheOperators) {
  const TestOperand x = Values({2, 3, 2}, {1, -2, 3, 4, 5, -6, 7, 8, 9, 10, -11, 12});
  for (const Opcode op : {Opcode::kSum, Opcode::kMax}) {
    for (const Ints& axis : {Ints{}, Ints{1}, Ints{-1, 0}, Ints{0, 1, 2}}) {
      for (int bits = 0; bits < 4; ++bits) {
        const Attributes attributes = Pack(CvmReduceAttrs{axis, (bits & 1) != 0, (bits & 2) != 0});
        const auto defined = RunOp({.op = op, .operands = {x}, .attributes = attributes});
        const auto lowered =
            RunLowering({.name = InfoOf(op).name, .operands = {x}, .attributes = attributes});
        ASSERT_TRUE(defined.ok() && lowered.ok()) << lowered.status();
        EXPECT_EQ(lowered->values, defined->values);
        EXPECT_EQ(lowered->types, defined->types);
      }
    }
  }
}

LoweringOutcome Mean(int64_t n, int64_t sum, int64_t limit) {
  Ints values(n, 0);
  values[0] = sum;
  const auto y = RunLowering({.name = "reduce_mean",
                              .operands = {Values({n}, values, {-limit, limit})},
                              .attributes = Pack(ReduceMeanAttrs{})});
  EXPECT_TRUE(y.ok()) << y.status();
  return *y;
}

// The form without a division equals the one with it: at every tie and beside it, and at the ends of its
// range.
TEST(ReduceLowering, MeansDoNotDependOnTheirForm) {
  constexpr int64_t kFastBelow = int64_t{1} << 29;
  for (int64_t n = 1; n <= 48; ++n) {
    const int64_t limit = (kFastBelow - 1) / n;
    for (const int64_t quotient : {int64_t{0}, int64_t{1}, int64_t{1000}, limit / n - 1}) {
      for (int64_t beside = -1; beside <= 1; ++beside) {
        for (const int64_t sign : {-1, 1}) {
          const int64_t s = sign * (quotient * n + n / 2 + beside);
          if (s < -limit || s > limit) continue;
          const auto fast = Mean(n, s, limit), slow = Mean(n, s, int64_t{1} << 40);
          ASSERT_EQ(fast.instructions.back(), "rescale");
          ASSERT_EQ(slow.instructions.back(), "divide");
          ASSERT_EQ(fast.values, slow.values) << s << " / " << n;
        }
      }
    }
  }
}

TEST(ReduceLowering, MeansHaveTightBounds) {
  EXPECT_EQ(Mean(3, 5, 7).types[0].interval, (Interval{-7, 7}));
  EXPECT_EQ(Mean(1, 5, 7).types[0].interval, (Interval{-7, 7}));
}

TEST(ReduceLowering, NormsAndTruths) {
  const auto run = [](std::string_view name) {
    const auto y = RunLowering({.name = name,
                                .operands = {Values({3, 2}, {3, -4, 0, 1, 0, 0})},
                                .attributes = Pack(ReduceAxesAttrs{.axes = {1}})});
    EXPECT_TRUE(y.ok()) << y.status();
    return y.ok() ? y->values[0] : Ints{};
  };
  EXPECT_EQ(run("reduce_l1"), (Ints{7, 1, 0}));
  EXPECT_EQ(run("reduce_l2"), (Ints{5, 1, 0}));
  EXPECT_EQ(run("reduce_sum_square"), (Ints{25, 1, 0}));
  EXPECT_EQ(run("reduce_and"), (Ints{1, 0, 0}));
  EXPECT_EQ(run("reduce_or"), (Ints{1, 1, 0}));
}

}  // namespace
}  // namespace tally
