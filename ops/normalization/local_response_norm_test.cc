#include <gtest/gtest.h>

#include <random>

#include "ops/normalization/attrs.h"
#include "ops/testing/real.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kWide = (int64_t{1} << 47) - 1;
constexpr int64_t kEntry = int64_t{1} << 31;

const TestOperand kMantissas = Constant({1025}, Ints(1025, kEntry));
const TestOperand kExponents = Constant({62}, Ints(62, 1));

OpCase Response(TestOperand x, LocalResponseNormAttrs attrs, TestOperand mantissas = kMantissas,
                TestOperand exponents = kExponents) {
  return {.op = Opcode::kLocalResponseNorm,
          .operands = {std::move(x), std::move(mantissas), std::move(exponents)},
          .attributes = Pack(attrs)};
}

TEST(LocalResponseNorm, StaysWithinItsErrorBound) {
  std::mt19937_64 random(5);
  const int shift = 30;
  for (const Real& beta : {Real(0.75), Real(0.5), Real(1), Real(0.9)}) {
    for (const int fraction : {0, 10}) {  // u's: k0 = 1 is 2^fraction
      for (const int64_t size : {127, 8000}) {
        for (const int64_t alpha : {1, 1 << 9}) {
          Ints mantissas, exponents, x;
          for (int i = 0; i <= 1024; ++i) {
            mantissas.push_back(Nearest(ldexp(pow(1 + Real(i) / 1024, -beta), 31)));
          }
          for (int k = 0; k < 62; ++k) {
            // Binades below that of the bias are out of reach.
            exponents.push_back(k < fraction ? 0
                                             : Nearest(ldexp(pow(Real(2), beta * (fraction - k)), shift)));
          }
          for (int i = 0; i < 40; ++i) {
            x.push_back(static_cast<int64_t>(random() % (2 * size + 1)) - size);
          }
          const auto y = RunOp(Response(Values({40}, x),
                                        {.axes = {0},
                                         .before = {2},
                                         .after = {2},
                                         .alpha = alpha,
                                         .bias = int64_t{1} << fraction,
                                         .shift = shift,
                                         .lo = -kWide,
                                         .hi = kWide},
                                        Constant({1025}, mantissas), Constant({62}, exponents)));
          ASSERT_TRUE(y.ok()) << y.status();
          for (int i = 0; i < 40; ++i) {
            Real squares = 0;
            for (int j = std::max(i - 2, 0); j <= std::min(i + 2, 39); ++j) squares += Real(x[j]) * x[j];
            const Real exact = x[i] * pow(1 + ldexp(alpha * squares, -fraction), -beta);
            const Real bound = Real(0.5) + abs(exact) * beta * (beta + 1) * ldexp(Real(1), -23) +
                               ldexp(abs(exact), -30) + ldexp(Real(std::abs(x[i])), -shift);
            ASSERT_LE(abs(y->values[0][i] - exact), bound) << beta << ' ' << fraction << ' ' << i;
          }
        }
      }
    }
  }
}

TEST(LocalResponseNorm, CutsItsWindow) {
  // P is 2^exponent of the sum, so y shows which elements were counted.
  Ints exponents;
  for (int k = 0; k < 62; ++k) exponents.push_back(int64_t{1} << std::min(k, 31));
  const auto y = RunOp(
      Response(Values({1, 4}, {1, 4, 16, 64}),
               {.axes = {-1}, .before = {1}, .after = {0}, .alpha = 1, .bias = 1, .lo = -kWide, .hi = kWide},
               kMantissas, Constant({62}, exponents)));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{1 * 2, 4 * 16, 16 * 256, 64 * 4096}));
  EXPECT_EQ(y->gas, 6144 + 4 * (768 + 16 * 2) + 112 * 2 * 1);
}

const TestOperand kX = Values({1, 2}, {1, 2});

TEST(LocalResponseNorm, C1_RefusesAConstantBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOf(Response(Constant({1, 1}, {kWide + 1}), {})), "local_response_norm_c1");
}

TEST(LocalResponseNorm, C2_RefusesAnAxisOutsideTheRank) {
  EXPECT_EQ(LabelOf(Response(kX, {.axes = {2}})), "local_response_norm_c2");
}

TEST(LocalResponseNorm, C3_RefusesAnAxisListedTwice) {
  EXPECT_EQ(LabelOf(Response(kX, {.axes = {1, -1}, .before = {0, 0}, .after = {0, 0}})),
            "local_response_norm_c3");
}

TEST(LocalResponseNorm, C4_RefusesListsOfAnotherLength) {
  EXPECT_EQ(LabelOf(Response(kX, {.before = {0, 0}})), "local_response_norm_c4");
  EXPECT_EQ(LabelOf(Response(kX, {.after = {0, 0}})), "local_response_norm_c4");
}

TEST(LocalResponseNorm, C5_RefusesTablesOfAnotherForm) {
  EXPECT_EQ(LabelOf(Response(kX, {}, Values({1025}, Ints(1025, 1)))), "local_response_norm_c5");
  EXPECT_EQ(LabelOf(Response(kX, {}, Constant({1024}, Ints(1024, 1)))), "local_response_norm_c5");
  EXPECT_EQ(LabelOf(Response(kX, {}, kMantissas, Constant({63}, Ints(63, 1)))), "local_response_norm_c5");
}

TEST(LocalResponseNorm, C6_RefusesEntriesOutsideTheirRange) {
  EXPECT_EQ(LabelOf(Response(kX, {}, Constant({1025}, Ints(1025, kEntry + 1)))), "local_response_norm_c6");
  EXPECT_EQ(LabelOf(Response(kX, {}, kMantissas, Constant({62}, Ints(62, -1)))), "local_response_norm_c6");
}

TEST(LocalResponseNorm, C7_RefusesAnEmptyClamp) {
  EXPECT_EQ(LabelOf(Response(kX, {.lo = 1})), "local_response_norm_c7");
}

TEST(LocalResponseNorm, C8_RefusesSumsOf62Bits) {
  const auto label = [](int64_t bias) {
    return LabelOf(Response(Values({1, 1}, {1 << 15}), {.alpha = int64_t{1} << 31, .bias = bias}));
  };
  EXPECT_EQ(label((int64_t{1} << 61) - 1), "");
  EXPECT_EQ(LabelOf(Response(Values({1, 1}, {1 << 15}), {.alpha = int64_t{1} << 32})),
            "local_response_norm_c8");
}

TEST(LocalResponseNorm, HoldsTheWidestElements) {
  const TestOperand widest = Values({1, 1}, {3037000499});  // its square has 63 bits
  const TestOperand exponents = Constant({62}, Ints(62, kEntry));
  EXPECT_EQ(LabelOf(Response(widest, {.shift = 62}, kMantissas, exponents)), "");
  EXPECT_EQ(LabelOf(Response(Values({1, 1}, {3037000500}), {})), "accumulator_range");
  EXPECT_EQ(LabelOf(Response(kX, {.before = {4096}, .after = {4096}})), "");
}

}  // namespace
}  // namespace tally
