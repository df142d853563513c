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

WideConstantPowerAttrs Attrs(const Ints& exponent, const Ints& in, const Ints& out, int64_t hi) {
  WideConstantPowerAttrs attrs;
  attrs.exponent = exponent;
  attrs.in = in;
  attrs.out = out;
  attrs.hi = hi;
  return attrs;
}

LoweringCase Power(TestOperand x, const WideConstantPowerAttrs& attrs) {
  return {.name = "wide_constant_power", .operands = {std::move(x)}, .attributes = Pack(attrs)};
}

TEST(WideConstantPower, StaysWithinItsErrorBound) {
  std::mt19937_64 random(23);
  Ints x;
  for (int k = 0; k < 47; ++k) {
    const int64_t start = int64_t{1} << k;
    x.insert(x.end(), {start, start + (start >> 11), 2 * start - 1});
    x.push_back(start + static_cast<int64_t>(random() % static_cast<uint64_t>(start)));
  }
  const auto n = std::ssize(x);
  for (const Ints& exponent : {Ints{1, 2}, Ints{-1, 3}, Ints{5, 2}, Ints{-3, 4}, Ints{22, 10}, Ints{-7, 2},
                               Ints{1, 1}, Ints{16, 1}, Ints{-16, 1}, Ints{0, 5}, Ints{2, 3}}) {
    for (const Ints& in : {Ints{1, 0}, Ints{1, 20}, Ints{12345, 30}}) {
      for (const Ints& out : {Ints{1, 0}, Ints{1, 8}, Ints{77, 20}}) {
        for (const int64_t hi : {127, 32767, 1 << 24}) {
          const int64_t p = exponent[0], q = exponent[1];
          const int reach = static_cast<int>((std::abs(p) + q - 1) / q);
          int bits = 0;
          while ((hi >> bits) != 0) ++bits;
          const int fine = p > 0 ? 31 - reach : 31;
          const int shift = std::min<int>(61 - reach - bits, 62 - static_cast<int>(out[1]) + fine);
          const auto y = RunLowering(Power(Values({n}, x), Attrs(exponent, in, out, hi)));
          ASSERT_TRUE(y.ok()) << y.status();
          const Real a = Real(p) / q;
          for (int64_t i = 0; i < n; ++i) {
            const Real exact = std::min(Real(pow(x[i] * ScaleOf(in), a) / ScaleOf(out)), Real(hi));
            const Real bound =
                Real(0.5) +
                exact * (abs(a) * abs(a - 1) * pow(Real(2), Real(-22.9)) + ldexp(Real(1), reach - 30)) +
                ldexp(Real(1), 30 - shift);
            ASSERT_LE(abs(y->values[0][i] - exact), bound) << x[i] << " ^ " << a << ' ' << in[1] << ' ' << hi;
          }
        }
      }
    }
  }
}

TEST(WideConstantPower, CountsNegativeValuesAsZero) {
  const TestOperand x = Values({4}, {-5, 3, 4, 12}, {-9, 99});
  WideConstantPowerAttrs attrs = Attrs({1, 2}, {1, 0}, {1, 4}, 127);
  attrs.zero_in = 3;
  attrs.zero_out = -7;
  attrs.lo = -128;
  const auto y = RunLowering(Power(x, attrs));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{-7, -7, 9, 41}));  // 16 and 48
  EXPECT_EQ(y->instructions, (Names{"broadcast_add", "clip", "normalized_table", "compare", "select"}));
  attrs.exponent = {-1, 2};
  EXPECT_EQ(RunLowering(Power(x, attrs))->values[0], (Ints{127, 127, 9, -2}));  // 16 and 16/3
  attrs.exponent = {0, 1};
  EXPECT_EQ(RunLowering(Power(x, attrs))->values[0], (Ints{9, 9, 9, 9}));
}

TEST(WideConstantPower, RefusesWhatHasNoMeaning) {
  const TestOperand x = Values({1}, {5});
  EXPECT_EQ(LabelOf(Power(x, Attrs({1, 2}, {1, 0}, {1, 0}, 100))), "");
  EXPECT_EQ(LabelOf(Power(x, Attrs({1, 0}, {1, 0}, {1, 0}, 100))), "lowering_operands");
  EXPECT_EQ(LabelOf(Power(x, Attrs({17, 1}, {1, 0}, {1, 0}, 100))), "lowering_operands");
  EXPECT_EQ(LabelOf(Power(x, Attrs({33, 2}, {1, 0}, {1, 0}, 100))), "lowering_operands");
  EXPECT_EQ(LabelOf(Power(x, Attrs({16, 1}, {1, 0}, {1, 0}, kWide))), "lowering_operands");
  EXPECT_EQ(LabelOf(Power(x, Attrs({1, 2}, {0, 0}, {1, 0}, 100))), "recipe_fields");
  EXPECT_EQ(LabelOf(Power(Values({1}, {0}), Attrs({1, 2}, {1, 0}, {1, 0}, 100))), "lowering_operands");
}

}  // namespace
}  // namespace tally
