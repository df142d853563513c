#include <gtest/gtest.h>

#include <random>

#include "ops/table/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"
#include "ops/testing/real.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;
using Names = std::vector<std::string>;

constexpr int64_t kWide = (int64_t{1} << 47) - 1;

LoweringCase WideLog(TestOperand x, const WideAttrs& attrs) {
  return {.name = "wide_log", .operands = {std::move(x)}, .attributes = Pack(attrs)};
}

TEST(WideLog, StaysWithinItsErrorBound) {
  std::mt19937_64 random(11);
  Ints x;
  for (int k = 0; k < 47; ++k) {
    const int64_t start = int64_t{1} << k;
    x.insert(x.end(), {start, start + (start >> 11), 2 * start - 1});
    x.push_back(start + static_cast<int64_t>(random() % static_cast<uint64_t>(start)));
  }
  const auto n = std::ssize(x);
  for (const Ints& in : {Ints{1, 0}, Ints{1, 30}, Ints{12345, 20}, Ints{7, 60}}) {
    for (const Ints& out : {Ints{1, 4}, Ints{3, 12}, Ints{12345677, 40}, Ints{1, 31}, Ints{1000, 0}}) {
      const auto y = RunLowering(WideLog(Values({n}, x), {.in = in, .out = out, .lo = -kWide, .hi = kWide}));
      ASSERT_TRUE(y.ok()) << y.status();
      EXPECT_EQ(y->instructions, Names{"normalized_table"});
      const Real unit = ScaleOf(out);
      const Real bound = Real(0.5) + (ldexp(Real(1), -23) + ldexp(Real(1), -29)) / unit;
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_LE(abs(y->values[0][i] - log(x[i] * ScaleOf(in)) / unit), bound) << x[i] << ' ' << out[1];
      }
    }
  }
}

TEST(WideLog, IsTheLowerClampBelowZero) {
  const auto y = RunLowering(
      WideLog(Values({4}, {-5, 3, 4, 11}, {-9, 99}), {.out = {1, 4}, .zero_in = 3, .lo = -128, .hi = 127}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{-128, -128, 0, 33}));  // 16 ln 8 = 33.27
  EXPECT_EQ(y->instructions, (Names{"broadcast_sub", "clip", "normalized_table", "compare", "select"}));
}

TEST(WideLog, RefusesWhatHasNoMeaning) {
  const TestOperand x = Values({1}, {5});
  EXPECT_EQ(LabelOf(WideLog(Values({1}, {0}), {})), "lowering_operands");
  EXPECT_EQ(LabelOf(WideLog(x, {.out = {1, 32}})), "lowering_operands");
  EXPECT_EQ(LabelOf(WideLog(x, {.out = {2, 32}})), "");
  EXPECT_EQ(LabelOf(WideLog(x, {.out = {0, 0}})), "recipe_fields");
  EXPECT_EQ(LabelOf(WideLog(x, {.in = {0, 0}})), "recipe_fields");
  EXPECT_EQ(LabelOf(WideLog(x, {.in = {1, 70}})), "recipe_fields");
  EXPECT_EQ(LabelOf(WideLog(Constant({1}, {kWide + 1}), {})), "lowering_operands");
}

}  // namespace
}  // namespace tally
