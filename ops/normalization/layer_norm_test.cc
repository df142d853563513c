#include <gtest/gtest.h>

#include <random>

#include "ops/normalization/attrs.h"
#include "ops/testing/real.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kWide = (int64_t{1} << 47) - 1;

const TestOperand kM = Constant({1}, {1}), kB = Constant({1}, {0});

OpCase LayerNorm(TestOperand x, TestOperand m, TestOperand b, LayerNormAttrs attrs) {
  return {.op = Opcode::kLayerNorm,
          .operands = {std::move(x), std::move(m), std::move(b)},
          .attributes = Pack(attrs)};
}

OpCase RmsNorm(TestOperand x, TestOperand m, TestOperand b, RmsNormAttrs attrs) {
  return {.op = Opcode::kRmsNorm,
          .operands = {std::move(x), std::move(m), std::move(b)},
          .attributes = Pack(attrs)};
}

RmsNormAttrs Rms(const LayerNormAttrs& attrs) {
  RmsNormAttrs rms;
  static_cast<LayerNormAttrs&>(rms) = attrs;
  return rms;
}

// Both operators with the same attributes.
enum class Centre { kMean, kZero };
OpCase Norm(Centre centre, TestOperand x, TestOperand m, TestOperand b, const LayerNormAttrs& attrs) {
  return centre == Centre::kMean ? LayerNorm(std::move(x), std::move(m), std::move(b), attrs)
                                 : RmsNorm(std::move(x), std::move(m), std::move(b), Rms(attrs));
}

// The normalized values of a row, by the formula.
std::vector<Real> Exact(Centre centre, const Ints& x, const LayerNormAttrs& attrs) {
  const auto n = static_cast<int64_t>(x.size());
  Real mean = 0, variance = 0;
  if (centre == Centre::kMean) mean = Real(std::accumulate(x.begin(), x.end(), int64_t{0})) / n;
  for (const int64_t v : x) variance += (v - mean) * (v - mean) / n;
  const Real unit = Real(n) * n * ldexp(Real(1), 2 * static_cast<int>(attrs.guard));
  Real root = sqrt(variance);
  if (attrs.epsilon_mode == EpsilonMode::kAdded) root = sqrt(variance + attrs.epsilon / unit);
  if (attrs.epsilon_mode == EpsilonMode::kMaximum) {
    root = sqrt(std::max(variance, Real(attrs.epsilon / unit)));
  }
  if (attrs.epsilon_mode == EpsilonMode::kOutside) root += attrs.epsilon / sqrt(unit);
  std::vector<Real> z;
  for (const int64_t v : x) z.push_back(root == 0 ? Real(0) : Real((v - mean) / root));
  return z;
}

void CheckErrorBound(Centre centre, const Ints& x, const LayerNormAttrs& attrs, int64_t m, int64_t b) {
  const auto n = static_cast<int64_t>(x.size());
  const auto y = RunOp(Norm(centre, Values({n}, x), Constant({1}, {m}), Constant({1}, {b}), attrs));
  ASSERT_TRUE(y.ok()) << y.status();
  const std::vector<Real> z = Exact(centre, x, attrs);
  const auto shift = static_cast<int>(attrs.shift);
  for (int64_t i = 0; i < n; ++i) {
    const Real exact = ldexp(ldexp(z[i], 20) * m + b, -shift);
    const Real reached = attrs.epsilon_mode == EpsilonMode::kOutside ? sqrt(Real(n)) : Real(abs(z[i]));
    const Real bound = Real(0.5) + ldexp(Real(std::abs(m)), -shift) * (Real(0.5) + ldexp(reached, 20 - 29));
    ASSERT_LE(abs(y->values[0][i] - exact), bound) << "element " << i << " of " << n;
  }
}

TEST(LayerNorm, StaysWithinItsErrorBound) {
  std::mt19937_64 random(7);
  for (const Centre centre : {Centre::kMean, Centre::kZero}) {
    for (const EpsilonMode mode : {EpsilonMode::kAdded, EpsilonMode::kMaximum, EpsilonMode::kOutside}) {
      for (const int64_t n : {1, 2, 7, 64, 768}) {
        for (const int64_t size : {2, 127, 32767}) {
          for (const int64_t epsilon : {0, 1, 1000, 1 << 30}) {
            Ints x;
            for (int64_t i = 0; i < n; ++i)
              x.push_back(static_cast<int64_t>(random() % (2 * size + 1)) - size);
            const LayerNormAttrs attrs = {.axes = {0},
                                          .guard = static_cast<int64_t>(random() % 5),
                                          .epsilon = epsilon,
                                          .epsilon_mode = mode,
                                          .shift = static_cast<int64_t>(random() % 30),
                                          .lo = -kWide,
                                          .hi = kWide};
            CheckErrorBound(centre, x, attrs, static_cast<int64_t>(random() % 4000) - 2000,
                            static_cast<int64_t>(random() % 4000) - 2000);
          }
        }
      }
    }
  }
}

TEST(LayerNorm, ReachesNearlyItsInterval) {
  for (const int64_t n : {2, 5, 1000, 30000}) {
    Ints x(n, 0);
    x[0] = 50000;
    const auto y = RunOp(LayerNorm(Values({n}, x), kM, kB, {.axes = {0}, .lo = -kWide, .hi = kWide}));
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_LE(y->types[0].interval.hi - y->values[0][0], 3) << n;
  }
}

TEST(RmsNorm, ReachesNearlyItsInterval) {
  for (const int64_t n : {1, 2, 5, 1000, 30000}) {
    Ints x(n, 0);
    x[0] = 50000;
    const auto y = RunOp(RmsNorm(Values({n}, x), kM, kB, Rms({.axes = {0}, .lo = -kWide, .hi = kWide})));
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_LE(y->types[0].interval.hi - y->values[0][0], 3) << n;
  }
}

TEST(LayerNorm, DoesNotMoveWithTheRow) {
  const LayerNormAttrs attrs = {.axes = {0}, .shift = 4, .lo = -kWide, .hi = kWide};
  const auto near = RunOp(LayerNorm(Values({4}, {0, 1, 5, 9}), kM, kB, attrs));
  const auto far = RunOp(LayerNorm(Values({4}, {kWide - 9, kWide - 8, kWide - 4, kWide}), kM, kB, attrs));
  ASSERT_TRUE(near.ok() && far.ok()) << far.status();
  EXPECT_EQ(near->values, far->values);
}

TEST(LayerNorm, TakesParametersForEachChannel) {
  const auto y =
      RunOp(LayerNorm(Values({2, 1, 2}, {1, 3, 7, 9}), Constant({2, 1, 1}, {1, -2}),
                      Constant({2, 1, 1}, {0, 1 << 20}), {.axes = {2, 1}, .shift = 20, .lo = -99, .hi = 99}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{-1, 1, 3, -1}));
  EXPECT_EQ(y->gas, 1024 + 304 * 4 + 320 * 2);
}

TEST(LayerNorm, GivesTheBiasWithoutVariance) {
  for (const EpsilonMode mode : {EpsilonMode::kAdded, EpsilonMode::kMaximum, EpsilonMode::kOutside}) {
    const auto y = RunOp(LayerNorm(Values({3}, {5, 5, 5}), kM, Constant({1}, {77}),
                                   {.axes = {0}, .epsilon_mode = mode, .lo = -99, .hi = 99}));
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y->values[0], (Ints{77, 77, 77}));
  }
}

// Each constraint for both operators; the labels differ.
std::string LabelOfNorm(Centre centre, TestOperand x, LayerNormAttrs attrs = {.axes = {0}},
                        TestOperand m = kM, TestOperand b = kB) {
  return LabelOf(Norm(centre, std::move(x), std::move(m), std::move(b), attrs));
}
const TestOperand kX = Values({2, 3}, {0, 1, 2, 3, 4, 5});

TEST(LayerNorm, C1_RefusesAConstantBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOfNorm(Centre::kMean, Constant({1}, {kWide + 1})), "layer_norm_c1");
}
TEST(RmsNorm, C1_RefusesAConstantBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOfNorm(Centre::kZero, Constant({1}, {kWide + 1})), "rms_norm_c1");
}

TEST(LayerNorm, C2_RefusesAnAxisOutsideTheRank) {
  EXPECT_EQ(LabelOfNorm(Centre::kMean, kX, {.axes = {0, 2}}), "layer_norm_c2");
}
TEST(RmsNorm, C2_RefusesAnAxisOutsideTheRank) {
  EXPECT_EQ(LabelOfNorm(Centre::kZero, kX, {.axes = {0, -3}}), "rms_norm_c2");
}

TEST(LayerNorm, C3_RefusesAnAxisListedTwice) {
  EXPECT_EQ(LabelOfNorm(Centre::kMean, kX, {.axes = {0, -2}}), "layer_norm_c3");
}
TEST(RmsNorm, C3_RefusesAnAxisListedTwice) {
  EXPECT_EQ(LabelOfNorm(Centre::kZero, kX, {.axes = {1, 1}}), "rms_norm_c3");
}

TEST(LayerNorm, C4_RefusesParametersThatAreNoConstantsOfOneShape) {
  EXPECT_EQ(LabelOfNorm(Centre::kMean, kX, {}, Values({1}, {1})), "layer_norm_c4");
  EXPECT_EQ(LabelOfNorm(Centre::kMean, kX, {}, kM, Values({1}, {1})), "layer_norm_c4");
  EXPECT_EQ(LabelOfNorm(Centre::kMean, kX, {}, Constant({3}, {1, 1, 1})), "layer_norm_c4");
}
TEST(RmsNorm, C4_RefusesParametersThatAreNoConstantsOfOneShape) {
  EXPECT_EQ(LabelOfNorm(Centre::kZero, kX, {}, Values({1}, {1})), "rms_norm_c4");
}

TEST(LayerNorm, C5_RefusesParametersThatDoNotBroadcast) {
  const TestOperand two = Constant({2}, {1, 1}), high = Constant({1, 1, 1}, {1});
  EXPECT_EQ(LabelOfNorm(Centre::kMean, kX, {}, two, two), "layer_norm_c5");
  EXPECT_EQ(LabelOfNorm(Centre::kMean, kX, {}, high, high), "layer_norm_c5");
  EXPECT_EQ(LabelOfNorm(Centre::kMean, Values({1}, {1}), {}, two, two), "layer_norm_c5");
}
TEST(RmsNorm, C5_RefusesParametersThatDoNotBroadcast) {
  const TestOperand two = Constant({2}, {1, 1});
  EXPECT_EQ(LabelOfNorm(Centre::kZero, kX, {}, two, two), "rms_norm_c5");
}

TEST(LayerNorm, C6_RefusesAnEmptyClamp) {
  EXPECT_EQ(LabelOfNorm(Centre::kMean, kX, {.lo = 1}), "layer_norm_c6");
}
TEST(RmsNorm, C6_RefusesAnEmptyClamp) { EXPECT_EQ(LabelOfNorm(Centre::kZero, kX, {.lo = 1}), "rms_norm_c6"); }

TEST(LayerNorm, C7_RefusesARowTooLongForItsRange) {
  EXPECT_EQ(LabelOfNorm(Centre::kMean, Values({2}, {-(1 << 29), 1 << 29})), "");
  EXPECT_EQ(LabelOfNorm(Centre::kMean, Values({2}, {-(1 << 29), (1 << 29) + 1})), "layer_norm_c7");
  EXPECT_EQ(
      LabelOfNorm(Centre::kMean, {Tensor(*Shape::Create({1 << 23}), Storage::kI8), Interval{-128, 127}}), "");
}
TEST(RmsNorm, C7_RefusesARowTooLongForItsRange) {
  EXPECT_EQ(LabelOfNorm(Centre::kZero, Values({2}, {(1 << 30) - 1, 0})), "");
  EXPECT_EQ(LabelOfNorm(Centre::kZero, Values({2}, {(1 << 30) + 1, 0})), "rms_norm_c7");
}

TEST(LayerNorm, C8_RefusesAVarianceOf62Bits) {
  const TestOperand x = Values({2}, {0, 1 << 20});  // (N D)^2 / 4 = 2^40
  const auto label = [&](int64_t guard, int64_t epsilon, EpsilonMode mode) {
    return LabelOfNorm(Centre::kMean, x,
                       {.axes = {0}, .guard = guard, .epsilon = epsilon, .epsilon_mode = mode});
  };
  EXPECT_EQ(label(10, (int64_t{1} << 62) - (int64_t{1} << 60) - 1, EpsilonMode::kAdded), "");
  EXPECT_EQ(label(10, (int64_t{1} << 62) - (int64_t{1} << 60), EpsilonMode::kAdded), "layer_norm_c8");
  EXPECT_EQ(label(0, (int64_t{1} << 31) - 1, EpsilonMode::kOutside), "");
  EXPECT_EQ(label(0, int64_t{1} << 31, EpsilonMode::kOutside), "layer_norm_c8");
}
TEST(RmsNorm, C8_RefusesAVarianceOf62Bits) {
  EXPECT_EQ(LabelOfNorm(Centre::kZero, Values({2}, {0, 1 << 20}), {.axes = {0}, .guard = 9}), "");
  EXPECT_EQ(LabelOfNorm(Centre::kZero, Values({2}, {0, 1 << 20}), {.axes = {0}, .guard = 10}), "rms_norm_c8");
}

TEST(LayerNorm, C9_RefusesAProductThatLeaves64Bits) {
  const TestOperand x = Values({2}, {0, 1});
  const int64_t z = (1 << 20) + 2;  // floor(2^20 / 2^29) = 0
  const int64_t largest = std::numeric_limits<int64_t>::max() - (int64_t{1} << 32);
  const auto label = [&](int64_t m, int64_t b) {
    return LabelOfNorm(Centre::kMean, x, {.axes = {0}}, Constant({1}, {m}), Constant({1}, {b}));
  };
  EXPECT_EQ(label(-3, largest - 3 * z), "");
  EXPECT_EQ(label(-3, largest - 3 * z + 1), "layer_norm_c9");
}
TEST(RmsNorm, C9_RefusesAProductThatLeaves64Bits) {
  EXPECT_EQ(LabelOfNorm(Centre::kZero, kX, {}, Constant({1}, {kWide}), kB), "rms_norm_c9");
}

}  // namespace
}  // namespace tally
