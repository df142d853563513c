#include <gtest/gtest.h>

#include <random>

#include "ops/normalization/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"
#include "ops/testing/real.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;
using Names = std::vector<std::string>;

constexpr int64_t kWide = (int64_t{1} << 47) - 1;

template <typename Attrs>
LoweringCase Case(std::string_view name, TestOperand x, const Attrs& attrs) {
  return {.name = name, .operands = {std::move(x)}, .attributes = Pack(attrs)};
}

L2NormalizeAttrs L2(const Ints& out) {
  L2NormalizeAttrs attrs;
  attrs.out = out;
  attrs.lo = -kWide;
  attrs.hi = kWide;
  return attrs;
}

TEST(L2Normalize, StaysWithinItsErrorBound) {
  std::mt19937_64 random(3);
  for (const Ints& out : {Ints{1, 7}, Ints{1, 15}, Ints{12345, 28}, Ints{2147483647, 45}, Ints{5, 0}}) {
    for (const int64_t n : {1, 2, 100, 3000}) {
      for (const int64_t epsilon : {0, 1000}) {
        Ints x;
        for (int64_t i = 0; i < n; ++i) x.push_back(static_cast<int64_t>(random() % 256) - 128);
        L2NormalizeAttrs attrs = L2(out);
        attrs.zero_in = 3;
        attrs.guard = 2;
        attrs.epsilon = epsilon;
        const auto y = RunLowering(Case("l2_normalize", Values({n}, x, {-128, 127}), attrs));
        ASSERT_TRUE(y.ok()) << y.status();
        EXPECT_EQ(y->instructions, Names{"rms_norm"});
        const Real unit = ldexp(Real(out[0]), -static_cast<int>(out[1]));
        Real squares = Real(epsilon) / 16;
        for (const int64_t v : x) squares += Real(v - 3) * (v - 3);
        const int fine = std::min(62, 40 + static_cast<int>(floor(log2(Real(out[0])))));
        const int shift = std::min(62, fine + 20 - static_cast<int>(out[1]));
        const Real m = floor(ldexp(Real(1), shift - 20) / (unit * sqrt(Real(n))) + Real(0.5));
        for (int64_t i = 0; i < n; ++i) {
          const Real exact = squares == 0 ? Real(0) : Real((x[i] - 3) / (sqrt(squares) * unit));
          const Real bound = Real(0.5) + ldexp(1 / (unit * sqrt(Real(n))), -21) +
                             abs(exact) * (ldexp(Real(1), -29) + 1 / (2 * m));
          ASSERT_LE(abs(y->values[0][i] - exact), bound) << n << ' ' << out[0] << ' ' << i;
        }
      }
    }
  }
}

TEST(L2Normalize, TakesTheGreaterOfSumAndEpsilon) {
  L2NormalizeAttrs attrs = L2({1, 10});
  attrs.maximum = true;
  attrs.epsilon = 100;
  EXPECT_EQ(RunLowering(Case("l2_normalize", Values({2, 2}, {3, 4, 6, -80}), attrs))->values[0],
            (Ints{307, 410, 77, -1021}));  // sums of 25 and 6436
}

TEST(L2Normalize, RefusesWhatHasNoMeaning) {
  const TestOperand x = Values({2}, {1, 2});
  EXPECT_EQ(LabelOf(Case("l2_normalize", x, L2({1, 60}))), "");
  EXPECT_EQ(LabelOf(Case("l2_normalize", x, L2({1, 61}))), "lowering_operands");
  EXPECT_EQ(LabelOf(Case("l2_normalize", x, L2({0, 0}))), "lowering_operands");
  L2NormalizeAttrs attrs = L2({1, 7});
  attrs.axes = {1};
  EXPECT_EQ(LabelOf(Case("l2_normalize", x, attrs)), "lowering_operands");
  attrs.axes = {0, -1};
  EXPECT_EQ(LabelOf(Case("l2_normalize", x, attrs)), "lowering_operands");
  attrs.axes = {0};
  attrs.epsilon = (int64_t{1} << 61) + 1;
  EXPECT_EQ(LabelOf(Case("l2_normalize", x, attrs)), "lowering_operands");
}

TEST(Grn, NormalizesAcrossTheChannels) {
  GrnAttrs attrs;
  attrs.out = {1, 10};
  attrs.lo = -kWide;
  attrs.hi = kWide;
  const auto y = RunLowering(Case("grn", Values({1, 2, 2}, {3, 5, 4, -12}), attrs));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{614, 394, 819, -945}));  // 3/5, 5/13, 4/5, -12/13
  EXPECT_EQ(LabelOf(Case("grn", Values({2}, {1, 2}), attrs)), "lowering_operands");
}

TEST(L1Normalize, DividesByTheSumOfMagnitudes) {
  const auto y = RunLowering(
      Case("l1_normalize", Values({3, 2}, {1, -3, 0, 0, 5, 0}), L1NormalizeAttrs{.bits = 3, .zero_out = 1}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{3, -5, 1, 1, 9, 1}));
  EXPECT_EQ(y->types[0].interval, (Interval{-7, 9}));
  EXPECT_EQ(y->instructions, (Names{"abs", "reduce", "broadcast_mul", "divide", "clip", "broadcast_add"}));
  EXPECT_EQ(LabelOf(Case("l1_normalize", Values({1}, {5}), L1NormalizeAttrs{.axes = {1}})), "reduce_c1");
}

TEST(BatchNorm, IsOneRescale) {
  const TestOperand x = Values({1, 2, 2}, {1, 2, 3, 4}), m = Constant({2}, {3, -1}),
                    b = Constant({2}, {1, 8}), s = Constant({2}, {1, 0});
  const Attributes attributes = Pack(BatchNormAttrs{.zero_out = 1, .lo = -99, .hi = 99});
  const auto y = RunLowering({.name = "batch_norm", .operands = {x, m, b, s}, .attributes = attributes});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0],
            (Ints{3, 5, 6, 5}));  // (3 + 1) / 2 + 1, (6 + 1) / 2 half up + 1, -3 + 8 + 1, -4 + 8 + 1
  EXPECT_EQ(y->instructions, Names{"rescale"});
  EXPECT_EQ(LabelOf(LoweringCase{
                .name = "batch_norm", .operands = {Values({2}, {1, 2}), m, b, s}, .attributes = attributes}),
            "lowering_operands");
  EXPECT_EQ(LabelOf(LoweringCase{
                .name = "batch_norm", .operands = {x, m, Values({2}, {1, 8}), s}, .attributes = attributes}),
            "lowering_operands");
}

}  // namespace
}  // namespace tally
