#include <gtest/gtest.h>

#include <algorithm>

#include "ops/normalization/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"
#include "ops/testing/real.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;
using Names = std::vector<std::string>;

constexpr int64_t kWide = (int64_t{1} << 47) - 1;

GlobalResponseNormAttrs Attrs(int64_t guard, int64_t bits, int64_t shift) {
  return {.guard = guard,
          .bits = bits,
          .residual = int64_t{1} << shift,
          .shift = shift,
          .lo = -kWide,
          .hi = kWide};
}

LoweringCase Case(TestOperand x, const Ints& m, const Ints& b, const GlobalResponseNormAttrs& attrs) {
  return {.name = "global_response_norm",
          .operands = {std::move(x), Constant({std::ssize(m)}, m), Constant({std::ssize(b)}, b)},
          .attributes = Pack(attrs)};
}

// Against the formula of ConvNeXt V2 in 200 bits, with the constants as they are.
void ExpectWithinBound(const Ints& x, int64_t samples, int64_t channels, const Ints& m, const Ints& b,
                       const GlobalResponseNormAttrs& attrs, Interval range) {
  const int64_t places = std::ssize(x) / (samples * channels);
  const auto y = RunLowering(Case(Values({samples, channels, places}, x, range), m, b, attrs));
  ASSERT_TRUE(y.ok()) << y.status();
  const Real unit = ldexp(Real(1), -static_cast<int>(attrs.shift));
  for (int64_t s = 0; s < samples; ++s) {
    std::vector<Real> norms;
    Real sum = ldexp(Real(attrs.epsilon), -static_cast<int>(attrs.guard));
    for (int64_t c = 0; c < channels; ++c) {
      Real squares = 0;
      for (int64_t p = 0; p < places; ++p) {
        const Real v = x[(s * channels + c) * places + p] - attrs.zero_in;
        squares += v * v;
      }
      norms.push_back(sqrt(squares));
      sum += norms.back();
    }
    for (int64_t c = 0; c < channels; ++c) {
      const Real n = sum == 0 ? Real(0) : Real(channels * norms[c] / sum);
      const Real gamma = m[c] * ldexp(unit, static_cast<int>(attrs.bits));
      for (int64_t p = 0; p < places; ++p) {
        const int64_t i = (s * channels + c) * places + p;
        const Real v = x[i] - attrs.zero_in;
        const Real exact = v * (attrs.residual * unit + gamma * n) + b[c] * unit + attrs.zero_out;
        const Real bound =
            Real(0.5) + abs(gamma) * (n * (1 + abs(v)) / (ldexp(Real(2), static_cast<int>(attrs.guard)) - 1) +
                                      ldexp(abs(v), -1 - static_cast<int>(attrs.bits)));
        ASSERT_LE(abs(y->values[0][i] - exact), bound) << i;
      }
    }
  }
}

TEST(GlobalResponseNorm, StaysWithinItsErrorBound) {
  for (const int64_t guard : {0, 3, 8}) {
    for (const int64_t bits : {0, 6, 12}) {
      for (const int64_t epsilon : {0, 77}) {
        GlobalResponseNormAttrs attrs = Attrs(guard, bits, 20);
        attrs.epsilon = epsilon;
        attrs.zero_in = 3, attrs.zero_out = -5;
        const int64_t one = int64_t{1} << (20 - bits);  // gamma = 1
        for (const int64_t channels : {1, 2, 16}) {
          Ints m = Noise(1, channels, -2 * one, 2 * one), b = Noise(2, channels, -9 << 20, 9 << 20);
          Ints x = Noise(3, 2 * channels * 20, -128, 127);
          ExpectWithinBound(x, 2, channels, m, b, attrs, {-128, 127});
          // One element that is not 0 in one channel and a few in another: the least norms.
          std::fill(x.begin(), x.end(), 3);
          x[0] = 4, x[x.size() / 4] = -60;
          ExpectWithinBound(x, 2, channels, m, b, attrs, {-128, 127});
        }
      }
    }
  }
}

TEST(GlobalResponseNorm, WeighsAChannelByItsNorm) {
  // Norms 5 and 15 over their mean: 1/2 and 3/2.
  const auto y =
      RunLowering(Case(Values({1, 2, 2}, {3, 4, 9, -12}), {1 << 4, 1 << 4}, {0, 0}, Attrs(4, 4, 8)));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{5, 6, 23, -30}));  // 4.5, 6, 22.5, -30
  EXPECT_EQ(y->instructions,
            (Names{"power", "reduce", "broadcast_mul", "sqrt", "reduce", "broadcast_mul", "divide", "clip",
                   "broadcast_mul", "broadcast_add", "broadcast_mul", "rescale"}));
}

TEST(GlobalResponseNorm, OfZerosIsTheOffset) {
  EXPECT_EQ(RunLowering(Case(Values({1, 2, 1}, {0, 0}), {5, 5}, {256, -512}, Attrs(4, 4, 8)))->values[0],
            (Ints{1, -2}));
}

TEST(GlobalResponseNorm, FitsALargeLayerOf8Bits) {
  // By the types alone: [1, 512, 56, 56] has too many elements for a test of values.
  GlobalResponseNormAttrs attrs = Attrs(10, 15, 30);
  EXPECT_EQ(
      LabelOf(Case(Values({1, 2, 3136}, Ints(6272, 1), {-128, 127}), {1 << 15, 1 << 15}, {0, 0}, attrs)), "");
  attrs.guard = 11;
  EXPECT_EQ(
      LabelOf(Case(Values({1, 2, 3136}, Ints(6272, 1), {-128, 127}), {1 << 15, 1 << 15}, {0, 0}, attrs)),
      "value_range");
}

TEST(GlobalResponseNorm, RefusesWhatHasNoMeaning) {
  const GlobalResponseNormAttrs attrs = Attrs(4, 4, 8);
  EXPECT_EQ(LabelOf(Case(Values({1, 2}, {1, 2}), {1, 1}, {0, 0}, attrs)), "lowering_operands");
  EXPECT_EQ(LabelOf(Case(Values({1, 2, 1}, {1, 2}), {1}, {0, 0}, attrs)), "lowering_operands");
  EXPECT_EQ(LabelOf(Case(Values({1, 2, 1}, {1, 2}), {1, 1}, {0}, attrs)), "lowering_operands");
}

}  // namespace
}  // namespace tally
