#include <gtest/gtest.h>

#include <algorithm>

#include "ops/reduction/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"
#include "ops/testing/real.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;
using Names = std::vector<std::string>;

constexpr int64_t kWide = (int64_t{1} << 47) - 1;

LoweringCase Case(std::string_view name, TestOperand x, const ReduceLogAttrs& attrs) {
  return {.name = name, .operands = {std::move(x)}, .attributes = Pack(attrs)};
}

TEST(ReduceLogSum, StaysWithinItsErrorBound) {
  for (const Ints& out : {Ints{1, 4}, Ints{3, 12}, Ints{1, 24}}) {
    for (const int64_t n : {1, 7, 1000}) {
      const Ints x = Noise(1, n, 1, 30000), in = {5, 9};
      const auto y = RunLowering(Case("reduce_log_sum", Values({n}, x),
                                      {.in = in, .out = out, .zero_in = -3, .lo = -kWide, .hi = kWide}));
      ASSERT_TRUE(y.ok()) << y.status();
      EXPECT_EQ(y->instructions, (Names{"broadcast_sub", "reduce", "normalized_table"}));
      Real sum = 0;
      for (const int64_t v : x) sum += v + 3;
      const Real bound = Real(0.5) + (ldexp(Real(1), -23) + ldexp(Real(1), -29)) / ScaleOf(out);
      ASSERT_LE(abs(y->values[0][0] - log(sum * ScaleOf(in)) / ScaleOf(out)), bound) << n << ' ' << out[1];
    }
  }
}

// s and g of lowerings.md.
struct Bits {
  int s, g;
};
Bits BitsOf(const Ints& in, const Ints& out) {
  int s = 30;
  while (floor(ldexp(ScaleOf(in) / ScaleOf(out), s) + Real(0.5)) >= ldexp(Real(1), 31)) --s;
  const int highest = static_cast<int>(floor(log2(Real(out[0]))));
  return {s, std::min({16, s, 31 + highest - static_cast<int>(out[1])})};
}

TEST(ReduceLogSumExp, StaysWithinItsErrorBound) {
  for (const Ints& in : {Ints{1, 4}, Ints{77, 14}, Ints{1, 0}, Ints{3, 30}}) {
    for (const Ints& out : {Ints{1, 3}, Ints{5, 12}, Ints{1, 28}}) {
      for (const int64_t n : {1, 10, 500}) {
        for (const int64_t reach : {100, 30000}) {
          const Ints x = Noise(2, n, -reach, reach);
          const auto y = RunLowering(Case("reduce_log_sum_exp", Values({n}, x, {-reach, reach}),
                                          {.in = in, .out = out, .zero_in = 17, .lo = -kWide, .hi = kWide}));
          ASSERT_TRUE(y.ok()) << y.status();
          const int64_t max = *std::max_element(x.begin(), x.end());
          Real sum = 0;
          for (const int64_t v : x) sum += exp((v - max) * ScaleOf(in));
          const Real unit = ScaleOf(out), exact = ((max - 17) * ScaleOf(in) + log(sum)) / unit;
          const Bits bits = BitsOf(in, out);
          const Real bound = Real(0.5) +
                             (ldexp(Real(1), -23) + ldexp(Real(1), -29) + n * ldexp(Real(1), -31)) / unit +
                             ldexp(Real(1), -bits.g - 1) + ldexp(abs(Real(max - 17)), -bits.s - 1);
          ASSERT_LE(abs(y->values[0][0] - exact), bound) << n << ' ' << in[1] << ' ' << out[1];
        }
      }
    }
  }
}

TEST(ReduceLogSumExp, ReducesTheAxesThatItLists) {
  const TestOperand x = Values({2, 3}, {0, 0, 0, -100, 50, -100}, {-128, 127});
  ReduceLogAttrs attrs = {.axes = {-1}, .in = {1, 0}, .out = {1, 4}, .lo = -kWide, .hi = kWide};
  const auto y = RunLowering(Case("reduce_log_sum_exp", x, attrs));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{18, 800}));  // 16 ln 3 = 17.58
  EXPECT_EQ(y->types[0].shape, *Shape::Create({2}));
  EXPECT_EQ(y->instructions, (Names{"reduce", "broadcast_sub", "table", "reduce", "clip", "normalized_table",
                                    "lincomb", "reshape"}));
  attrs.keepdims = true;
  EXPECT_EQ(RunLowering(Case("reduce_log_sum_exp", x, attrs))->types[0].shape, *Shape::Create({2, 1}));
}

TEST(ReduceLogSumExp, HoldsTheLongestGroup) {
  const auto label = [](int64_t n) {
    return LabelOf(Case("reduce_log_sum_exp", {.tensor = Tensor(*Shape::Create({n}), Storage::kI8)}, {}));
  };
  EXPECT_EQ(label((1 << 17) - 1), "");
  EXPECT_EQ(label(1 << 17), "value_range");
}

TEST(ReduceLogSumExp, RefusesWhatHasNoMeaning) {
  const auto label = [](TestOperand x, const ReduceLogAttrs& attrs) {
    return LabelOf(Case("reduce_log_sum_exp", std::move(x), attrs));
  };
  const TestOperand x = Values({1}, {5});
  EXPECT_EQ(label(Values({1}, {5}, {0, 65535}), {}), "");
  EXPECT_EQ(label(Values({1}, {5}, {0, 65536}), {}), "lowering_operands");
  EXPECT_EQ(label(x, {.in = {0, 0}}), "lowering_operands");
  EXPECT_EQ(label(x, {.in = {1, 0}, .out = {1, 31}}), "lowering_operands");
  EXPECT_EQ(label(x, {.in = {1, 20}, .out = {1, 32}}), "lowering_operands");
  EXPECT_EQ(label(x, {.axes = {1}}), "reduce_c1");
}

}  // namespace
}  // namespace tally
