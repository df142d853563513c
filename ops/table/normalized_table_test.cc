#include <gtest/gtest.h>

#include <random>

#include "ops/table/attrs.h"
#include "ops/testing/real.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kWide = (int64_t{1} << 47) - 1;
constexpr int64_t kEntry = int64_t{1} << 31;

OpCase Normalized(TestOperand x, TestOperand mantissas, TestOperand exponents, NormalizedTableAttrs attrs) {
  return {.op = Opcode::kNormalizedTable,
          .operands = {std::move(x), std::move(mantissas), std::move(exponents)},
          .attributes = Pack(attrs)};
}

// Every small integer, and for every exponent both ends of its binade and noise between them.
Ints Samples() {
  std::mt19937_64 random(7);
  Ints x;
  for (int64_t v = 1; v < 300; ++v) x.push_back(v);
  for (int k = 1; k < 47; ++k) {
    const int64_t start = int64_t{1} << k;
    x.insert(x.end(), {start, start + 1, 2 * start - 1});
    for (int i = 0; i < 20; ++i) {
      x.push_back(start + static_cast<int64_t>(random() % static_cast<uint64_t>(start)));
    }
    // The middle between two entries, where a straight line is farthest from the curve.
    if (k > 10) x.push_back(start + (start >> 11));
  }
  return x;
}

TEST(NormalizedTable, PowersStayWithinTheirErrorBound) {
  const Ints x = Samples();
  const int64_t n = std::ssize(x);
  for (const Real& a : {Real(-1), Real(-0.75), Real(-0.5), Real(0.5), Real(1) / 3}) {
    const bool rises = a > 0;
    // As many bits as the entries of X have room for.
    const int shift = rises ? 30 : 31;
    const Real unit = ldexp(Real(1), rises ? 8 : 31);
    Ints mantissas, exponents;
    for (int i = 0; i <= 1024; ++i) {
      mantissas.push_back(Nearest(ldexp(pow(1 + Real(i) / 1024, a), rises ? 30 : 31)));
    }
    for (int k = 0; k < 47; ++k) {
      exponents.push_back(Nearest(ldexp(pow(Real(2), a * k), shift - (rises ? 30 : 31)) * unit));
    }
    const auto y = RunOp(Normalized(Values({n}, x), Constant({1025}, mantissas), Constant({47}, exponents),
                                    {.shift = shift, .lo = -kWide, .hi = kWide}));
    ASSERT_TRUE(y.ok()) << a << ' ' << y.status();
    for (int64_t i = 0; i < n; ++i) {
      const Real exact = pow(Real(x[i]), a) * unit;
      const Real relative = abs(a) * abs(a - 1) * ldexp(Real(1), -23) + ldexp(Real(1), -29);
      ASSERT_LE(abs(y->values[0][i] - exact), Real(0.5) + exact * relative + ldexp(Real(1), 30 - shift))
          << a << ' ' << x[i];
    }
  }
}

TEST(NormalizedTable, LogarithmsStayWithinTheirErrorBound) {
  const Ints x = Samples();
  const int64_t n = std::ssize(x);
  const Real c = Real(3) / 1024;
  for (const Real& base : {exp(Real(1)), Real(2)}) {
    for (const int bits : {4, 12, 24, 30}) {  // 1 / so is 2^bits for base 2
      const Real scale = ldexp(log(base), -bits);
      const int shift = 30 - bits;
      Ints mantissas, exponents;
      for (int i = 0; i <= 1024; ++i) {
        mantissas.push_back(Nearest(ldexp(log(1 + Real(i) / 1024) / scale, shift)));
      }
      for (int k = 0; k < 47; ++k) exponents.push_back(Nearest(ldexp(log(ldexp(c, k)) / scale, shift)));
      const auto y = RunOp(Normalized(Values({n}, x), Constant({1025}, mantissas), Constant({47}, exponents),
                                      {.combine = Combine::kSum, .shift = shift, .lo = -kWide, .hi = kWide}));
      ASSERT_TRUE(y.ok()) << y.status();
      const Real bound =
          Real(0.5) + (ldexp(Real(1), -23) + ldexp(Real(1), -40)) / scale + 3 * ldexp(Real(1), -shift - 1);
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_LE(abs(y->values[0][i] - log(c * x[i]) / scale), bound) << bits << ' ' << x[i];
      }
    }
  }
}

// The greatest distance of a straight line from a curve over 1/1024, relative for powers.
TEST(NormalizedTable, InterpolatesWithTheStatedPrecision) {
  const auto worst = [](auto f, bool relative) {
    Real most = 0;
    for (int i = 0; i < 1024; ++i) {
      const Real below = f(1 + Real(i) / 1024), above = f(1 + Real(i + 1) / 1024);
      for (int j = 1; j < 8; ++j) {
        const Real exact = f(1 + (i + Real(j) / 8) / 1024);
        const Real error = abs(below + (above - below) * j / 8 - exact);
        most = std::max(most, relative ? Real(error / exact) : error);
      }
    }
    return most;
  };
  const auto power = [&](const Real& a) {
    return worst([a](const Real& m) { return Real(pow(m, a)); }, true);
  };
  const auto bits = [](double b) { return Real(pow(Real(2), Real(-b))); };
  EXPECT_LE(power(-1), bits(22));
  EXPECT_LE(power(-0.75), bits(22.6));
  EXPECT_LE(power(-0.5), bits(23.4));
  EXPECT_LE(worst([](const Real& m) { return Real(log2(m)); }, false), bits(22.4));
  EXPECT_LE(worst([](const Real& m) { return Real(log(m)); }, false), bits(23));
}

// M and X of the identity.
TestOperand Rising() {
  Ints entries(1025);
  for (int64_t i = 0; i <= 1024; ++i) entries[i] = 1024 + i;
  return Constant({1025}, entries);
}
TestOperand PowersOfTwo() {
  Ints entries(47);
  for (int64_t k = 0; k < 47; ++k) entries[k] = int64_t{1} << std::min<int64_t>(k, 46);
  return Constant({47}, entries);
}

TEST(NormalizedTable, CanBeTheIdentity) {
  const auto y = RunOp(Normalized(Values({4}, {1, 3, 8, 1000003}, {1, 1 << 20}), Rising(), PowersOfTwo(),
                                  {.shift = 10, .lo = 0, .hi = kWide}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0][2], 8);
  EXPECT_EQ(y->values[0][1], 3 * 1024 / 1024);
  EXPECT_EQ(y->types[0].interval, (Interval{1, 1 << 20}));
  EXPECT_EQ(y->gas, 1536 + 4 * 112);
}

// A table that rises reaches both ends of its interval: at the least and at the greatest x of some binade.
TEST(NormalizedTable, HasAnExactIntervalForATableThatRises) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 60; ++round) {
    Ints exponents(47), x;
    for (int64_t& e : exponents) e = static_cast<int64_t>(random() % 2001) - 1000;
    const int64_t lo = 1 + static_cast<int64_t>(random() % 40),
                  hi = lo + static_cast<int64_t>(random() % 100);
    for (int64_t v = lo; v <= hi; ++v) x.push_back(v);
    for (const Combine combine : {Combine::kProduct, Combine::kSum}) {
      const auto y =
          RunOp(Normalized(Values({std::ssize(x)}, x), Rising(), Constant({47}, exponents),
                           {.combine = combine, .shift = 3, .zero_out = 5, .lo = -90000, .hi = 90000}));
      ASSERT_TRUE(y.ok()) << y.status();
      const auto [least, greatest] = std::minmax_element(y->values[0].begin(), y->values[0].end());
      EXPECT_EQ(y->types[0].interval, (Interval{*least, *greatest})) << lo << ' ' << hi;
    }
  }
}

const TestOperand kX = Values({1}, {5});
const TestOperand kM = Constant({1025}, Ints(1025, 1)), kE = Constant({47}, Ints(47, 1));

TEST(NormalizedTable, C1_RefusesAConstantBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOf(Normalized(Constant({1}, {kWide}), kM, kE, {})), "");
  EXPECT_EQ(LabelOf(Normalized(Constant({1}, {kWide + 1}), kM, kE, {})), "normalized_table_c1");
}

TEST(NormalizedTable, C2_RefusesValuesThatMayNotBePositive) {
  EXPECT_EQ(LabelOf(Normalized(Values({1}, {5}, {0, 9}), kM, kE, {})), "normalized_table_c2");
}

TEST(NormalizedTable, C3_RefusesTablesOfAnotherForm) {
  EXPECT_EQ(LabelOf(Normalized(kX, Values({1025}, Ints(1025, 1)), kE, {})), "normalized_table_c3");
  EXPECT_EQ(LabelOf(Normalized(kX, Constant({1024}, Ints(1024, 1)), kE, {})), "normalized_table_c3");
  EXPECT_EQ(LabelOf(Normalized(kX, kM, Constant({48}, Ints(48, 1)), {})), "normalized_table_c3");
}

TEST(NormalizedTable, C4_RefusesMantissasOutsideTheirRange) {
  EXPECT_EQ(LabelOf(Normalized(kX, Constant({1025}, Ints(1025, -kEntry)), kE, {})), "");
  EXPECT_EQ(LabelOf(Normalized(kX, Constant({1025}, Ints(1025, kEntry + 1)), kE, {})), "normalized_table_c4");
  EXPECT_EQ(LabelOf(Normalized(kX, Constant({1025}, Ints(1025, -kEntry - 1)), kE, {})),
            "normalized_table_c4");
}

TEST(NormalizedTable, C5_RefusesAnEmptyClamp) {
  EXPECT_EQ(LabelOf(Normalized(kX, kM, kE, {.lo = 1})), "normalized_table_c5");
}

TEST(NormalizedTable, C6_RefusesResultsThatLeave64Bits) {
  const TestOperand steep = Constant({1025}, Ints(1025, kEntry));
  const auto label = [&](int64_t entry, int64_t shift, Combine combine) {
    Ints exponents(47, INT64_MAX);  // out of reach
    exponents[2] = entry;
    return LabelOf(Normalized(kX, steep, Constant({47}, exponents), {.combine = combine, .shift = shift}));
  };
  EXPECT_EQ(label(kEntry, 62, Combine::kProduct), "");
  EXPECT_EQ(label(3 * (kEntry / 2), 62, Combine::kProduct), "normalized_table_c6");
  EXPECT_EQ(label(2 * kEntry - 3, 0, Combine::kProduct), "");
  EXPECT_EQ(label(-2 * kEntry, 0, Combine::kProduct), "normalized_table_c6");
  EXPECT_EQ(label(INT64_MAX - (int64_t{1} << 33), 0, Combine::kSum), "");
  EXPECT_EQ(label(INT64_MAX, 0, Combine::kSum), "normalized_table_c6");
}

// An alternating table has the steepest neighbours that there are.
TEST(NormalizedTable, HoldsTheSteepestTable) {
  Ints steep(1025);
  for (int i = 0; i <= 1024; ++i) steep[i] = i % 2 == 0 ? kEntry : -kEntry;
  const auto y = RunOp(Normalized(Values({3}, {1, (int64_t{1} << 40) - 1, kWide}), Constant({1025}, steep),
                                  kE, {.lo = -kWide, .hi = kWide}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0][0], kEntry);
}

}  // namespace
}  // namespace tally
