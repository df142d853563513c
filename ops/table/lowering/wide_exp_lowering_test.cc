#include <gtest/gtest.h>

#include <random>

#include "ops/table/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"
#include "ops/testing/real.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;
using Names = std::vector<std::string>;

LoweringCase WideExp(TestOperand x, const WideAttrs& attrs) {
  return {.name = "wide_exp", .operands = {std::move(x)}, .attributes = Pack(attrs)};
}

// The clamp is far from every exact value, or the exact value is clamped alike.
TEST(WideExp, StaysWithinItsErrorBound) {
  std::mt19937_64 random(13);
  for (const Ints& in : {Ints{1, 0}, Ints{1, 10}, Ints{1, 20}, Ints{12345, 33}, Ints{1, 26}}) {
    // Up to 20 on both sides of 0, and at most 2^30 of them.
    const int64_t reach = std::min<int64_t>(static_cast<int64_t>(20 / ScaleOf(in)), int64_t{1} << 29);
    Ints x = {-reach, -1, 0, 1, reach - 1};
    for (int i = 0; i < 300; ++i) {
      x.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(2 * reach)) - reach);
    }
    for (const Ints& out : {Ints{1, 0}, Ints{1, 15}, Ints{777, 13}}) {
      for (const int64_t hi : {255, 32767, (1 << 30) - 8}) {
        const auto y = RunLowering(WideExp(Values({std::ssize(x)}, x, {-reach, reach - 1}),
                                           {.in = in, .out = out, .zero_out = 7, .lo = -9, .hi = hi}));
        ASSERT_TRUE(y.ok()) << y.status();
        EXPECT_EQ(y->instructions, (Names{"shift_right", "bitwise_and", "table", "table", "mulshift"}));
        int bits = 0;
        while (((hi - 7) >> bits) != 0) ++bits;
        const int guard = 30 - bits;
        for (size_t i = 0; i < x.size(); ++i) {
          const Real exact = exp(x[i] * ScaleOf(in)) / ScaleOf(out);
          const Real bound = Real(0.5) + ldexp(Real(1), -guard) + ldexp(std::min(exact, Real(hi)) + 1, -31);
          const Real clamped = std::min(Real(exact + 7), Real(hi));
          ASSERT_LE(abs(y->values[0][i] - clamped), bound)
              << x[i] << ' ' << in[1] << ' ' << out[1] << ' ' << hi;
        }
      }
    }
  }
}

TEST(WideExp, RefusesWhatHasNoMeaning) {
  const TestOperand x = Values({1}, {5});
  EXPECT_EQ(LabelOf(WideExp(x, {.hi = (1 << 30) - 1})), "");
  EXPECT_EQ(LabelOf(WideExp(x, {.hi = 1 << 30})), "lowering_operands");
  EXPECT_EQ(LabelOf(WideExp(x, {.in = {0, 0}})), "lowering_operands");
  EXPECT_EQ(LabelOf(WideExp(x, {.in = {1, 63}})), "lowering_operands");
  EXPECT_EQ(LabelOf(WideExp(x, {.out = {0, 0}})), "recipe_fields");
  const auto label = [](int64_t hi) {
    return LabelOf(WideExp(Values({1}, {0}, {0, hi}), {.in = {1, 16}, .hi = 127}));
  };
  EXPECT_EQ(label((int64_t{1} << 31) - 1), "");  // 65536 times 2^15
  EXPECT_EQ(label(int64_t{1} << 31), "lowering_operands");
}

}  // namespace
}  // namespace tally
