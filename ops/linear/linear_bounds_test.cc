#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ops/linear/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

// The ends that sums over one channel reach when every factor of a weight is one of `choices`.
Interval Reach(const std::vector<int64_t>& weights, const std::vector<int64_t>& choices) {
  Interval ends;
  for (const int64_t w : weights) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (const int64_t x : choices) {
      low = std::min(low, w * x);
      high = std::max(high, w * x);
    }
    ends = {ends.lo + low, ends.hi + high};
  }
  return ends;
}

struct Draw {
  int64_t magnitude;  // for the weights: decides their storage
  int64_t channels, terms;
};

class LinearBounds : public testing::TestWithParam<Draw> {};

// 2100 channels span three blocks, the last one incomplete.
INSTANTIATE_TEST_SUITE_P(Storages, LinearBounds,
                         testing::Values(Draw{100, 3, 5}, Draw{30000, 2100, 4}, Draw{2000000000, 65, 3},
                                         Draw{int64_t{1} << 36, 64, 2}, Draw{100, 1, 200}));

TEST_P(LinearBounds, AreTheEndsThatSumsReach) {
  const auto [magnitude, channels, terms] = GetParam();
  std::mt19937_64 random(static_cast<uint64_t>(channels * 1000 + terms));
  const auto draw = [&] { return static_cast<int64_t>(random() % (2 * magnitude + 1)) - magnitude; };
  for (const Interval x : {Interval{-7, 9}, Interval{3, 5}, Interval{-9, -2}}) {
    std::vector<int64_t> rows(channels * terms), columns(channels * terms);
    Interval result = {INT64_MAX, INT64_MIN}, partial = result;
    for (int64_t channel = 0; channel < channels; ++channel) {
      std::vector<int64_t> weights(terms);
      std::generate(weights.begin(), weights.end(), draw);
      for (int64_t k = 0; k < terms; ++k) {
        rows[channel * terms + k] = columns[k * channels + channel] = weights[k];
      }
      const Interval all = Reach(weights, {x.lo, x.hi}), some = Reach(weights, {x.lo, x.hi, 0});
      result = channel == 0 ? all : result.Hull(all);
      partial = channel == 0 ? some : partial.Hull(some);
    }
    const TestOperand data = Values({1, terms}, std::vector<int64_t>(terms, x.hi), x);
    const OpCase cases[] = {
        {.op = Opcode::kDense, .operands = {data, Constant({channels, terms}, rows)}},
        {.op = Opcode::kMatmul,
         .operands = {data, Constant({channels, terms}, rows)},
         .attributes = Pack(MatmulAttrs{.transpose_b = true})},
        {.op = Opcode::kMatmul,
         .operands = {data, Constant({terms, channels}, columns)},
         .attributes = Pack(MatmulAttrs{})},
    };
    for (const OpCase& test : cases) {
      const auto y = RunOp(test);
      ASSERT_TRUE(y.ok()) << y.status();
      EXPECT_EQ(y->types[0].interval, result);
      EXPECT_EQ(y->accumulator, partial);
    }
  }
}

// Nothing says when the bias is added: partial sums are bounded with it and without.
TEST(LinearBounds, HoldWithTheBiasAndWithoutIt) {
  for (const Interval bias : {Interval{100, 200}, Interval{-200, -100}}) {
    const auto y = RunOp({.op = Opcode::kDense,
                          .operands = {Values({1, 2}, {1, 1}, {-5, 5}), Values({1, 2}, {1, 1}, {-1, 1}),
                                       Values({1}, {bias.lo}, bias)}});
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y->types[0].interval, (Interval{bias.lo - 10, bias.hi + 10}));
    EXPECT_EQ(y->accumulator,
              (Interval{std::min<int64_t>(bias.lo, 0) - 10, std::max<int64_t>(bias.hi, 0) + 10}));
  }
}

// Bounds of 128 bits saturate instead of wrapping into the accepted range.
TEST(LinearBounds, RefuseWhatOverflowsTheirOwnArithmetic) {
  const std::vector<int64_t> weights(4, INT64_MIN);
  const int64_t limit = (int64_t{1} << 47) - 1;
  for (const int64_t x : {-limit, limit}) {
    EXPECT_EQ(LabelOf({.op = Opcode::kDense,
                       .operands = {Values({1, 4}, {x, x, x, x}), Constant({1, 4}, weights)}}),
              "accumulator_range");
  }
}

}  // namespace
}  // namespace tally
