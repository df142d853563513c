#include <gtest/gtest.h>

#include <random>

#include "ops/table/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"
#include "ops/testing/real.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

LoweringCase WidePower(TestOperand x, TestOperand p, const WidePowerAttrs& attrs) {
  return {.name = "wide_power", .operands = {std::move(x), std::move(p)}, .attributes = Pack(attrs)};
}

TEST(WidePower, StaysWithinItsErrorBound) {
  std::mt19937_64 random(17);
  Ints x, p;
  for (int i = 0; i < 600; ++i) {
    x.push_back(1 + static_cast<int64_t>(random() % ((uint64_t{1} << (1 + i % 40)))));
    p.push_back(static_cast<int64_t>(random() % 256) - 128);
  }
  const auto n = std::ssize(x);
  for (const int shift : {4, 7}) {  // the exponent's
    for (const int64_t hi : {255, 32767, 1 << 24}) {
      const auto y = RunLowering(
          WidePower(Values({n}, x), Values({n}, p),
                    {.in = {1, 10}, .power = {1, shift}, .out = {1, 6}, .zero_power = 3, .lo = 0, .hi = hi}));
      ASSERT_TRUE(y.ok()) << y.status();
      int bits = 0;
      while ((hi >> bits) != 0) ++bits;
      for (int64_t i = 0; i < n; ++i) {
        const Real power = ldexp(Real(p[i] - 3), -shift);
        const Real exact = std::min(Real(ldexp(pow(ldexp(Real(x[i]), -10), power), 6)), Real(hi));
        const Real bound = Real(0.5) + ldexp(Real(1), bits - 30) + ldexp(Real(1), -31) +
                           exact * (abs(power) * ldexp(Real(1), -22) + ldexp(Real(1), -20));
        ASSERT_LE(abs(y->values[0][i] - exact), bound) << x[i] << " ^ " << power;
      }
    }
  }
}

TEST(WidePower, CountsNegativeValuesAsZero) {
  const auto y = RunLowering(WidePower(Values({6}, {0, -7, 0, 0, 3, 3}), Values({6}, {2, 2, 0, -1, 2, -1}),
                                       {.out = {1, 1}, .lo = 0, .hi = 100}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{0, 0, 2, 100, 18, 1}));
}

TEST(WidePower, RefusesWhatHasNoMeaning) {
  const TestOperand x = Values({1}, {5});
  EXPECT_EQ(LabelOf(WidePower(x, x, {.power = {1, 58}})), "");
  EXPECT_EQ(LabelOf(WidePower(x, x, {.power = {1, 59}})), "lowering_operands");
  EXPECT_EQ(LabelOf(WidePower(Values({1}, {0}), x, {})), "lowering_operands");
}

}  // namespace
}  // namespace tally
