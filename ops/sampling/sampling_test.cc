#include <gtest/gtest.h>

#include <set>

#include "ops/sampling/attrs.h"
#include "ops/sampling/philox.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

// The vectors that Random123, the authors' library, publishes for philox4x32 with 10 rounds (its file
// kat_vectors).
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(Philox4x32({0, 0, 0, 0}, {0, 0}),
            (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(Philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, ADrawIsTheLowHalfOfABlock) {
  EXPECT_EQ(DrawBits({}, 0), 0xe169c58d6627e8d5u);
  const PhiloxCounter block = Philox4x32({5, 7, 3, 0}, {1, 2});
  EXPECT_EQ(DrawBits({.seed = 1, .layer = 2, .iteration = 3}, (int64_t{7} << 32) + 5),
            block[0] + (uint64_t{block[1]} << 32));
}

TEST(Philox, TheEndsOfARangeAreReached) {
  EXPECT_EQ(DrawBelow(0, 6), 0);
  EXPECT_EQ(DrawBelow(~uint64_t{0}, 6), 5);
  EXPECT_EQ(DrawBelow(~uint64_t{0}, int64_t{1} << 48), (int64_t{1} << 48) - 1);
  EXPECT_EQ(DrawBelow(~uint64_t{0}, INT64_MAX), INT64_MAX - 1);
  EXPECT_EQ(DrawBelow(~uint64_t{0}, 1), 0);
}

// Each value has floor or ceil of 2^64 / n of the 2^64 draws: the spec's bound of the bias, on a scaled-down
// copy.
TEST(Philox, NoValueIsFavouredByMoreThanOneDraw) {
  for (uint64_t n = 1; n <= 100; ++n) {
    std::vector<int> draws(n, 0);
    for (uint64_t u = 0; u < 256; ++u) ++draws[u * n >> 8];
    for (const int count : draws) {
      EXPECT_GE(count, static_cast<int>(256 / n));
      EXPECT_LE(count, static_cast<int>((256 + n - 1) / n));
    }
  }
}

OpCase Uniform(const RandomUniformAttrs& attrs, std::vector<TestOperand> operands = {}) {
  return {.op = Opcode::kRandomUniform, .operands = std::move(operands), .attributes = Pack(attrs)};
}

std::vector<int64_t> Draw(const OpCase& test) {
  const auto y = RunOp(test);
  EXPECT_TRUE(y.ok()) << y.status();
  return y.ok() ? y->values[0] : std::vector<int64_t>{};
}

// 256 * the chi-square statistic of counts that should be equal.
int64_t ChiSquare256(const std::vector<int64_t>& counts, int64_t total) {
  const int64_t cells = static_cast<int64_t>(counts.size());
  int64_t sum = 0;
  for (const int64_t count : counts) {
    const int64_t difference = count * cells - total;
    sum += difference * difference * 256 / (cells * total);
  }
  return sum;
}

// 63 degrees of freedom: 99.9 % of the statistics are below 103.4, and 0.1 % below 32.5. The draw is fixed,
// so this can fail only when the generator changes.
TEST(RandomUniform, FillsItsRangeEvenly) {
  constexpr int64_t kDraws = 64000;
  for (int64_t seed = 0; seed < 4; ++seed) {
    std::vector<int64_t> counts(64, 0);
    for (const int64_t v : Draw(Uniform({.shape = {kDraws}, .seed = seed, .lo = -32, .hi = 31})))
      ++counts[v + 32];
    EXPECT_LT(ChiSquare256(counts, kDraws), 256 * 104) << seed;
    EXPECT_GT(ChiSquare256(counts, kDraws), 256 * 32) << seed;
  }
}

TEST(RandomUniform, NeighboursAreIndependent) {
  const auto y = Draw(Uniform({.shape = {128000}, .seed = 9, .lo = 0, .hi = 7}));
  std::vector<int64_t> counts(64, 0);
  for (size_t i = 0; i + 1 < y.size(); i += 2) ++counts[y[i] * 8 + y[i + 1]];
  EXPECT_LT(ChiSquare256(counts, 64000), 256 * 104);
}

TEST(RandomUniform, SeedLayerAndIterationAreStreamsOfTheirOwn) {
  const RandomUniformAttrs attrs = {.shape = {4}, .seed = 1, .layer = 2, .lo = 0, .hi = kMaxWord};
  RandomUniformAttrs seed = attrs, layer = attrs, swapped = attrs;
  seed.seed = 3;
  layer.layer = 3;
  std::swap(swapped.seed, swapped.layer);
  const std::set<std::vector<int64_t>> distinct = {Draw(Uniform(attrs)), Draw(Uniform(seed)),
                                                   Draw(Uniform(layer)), Draw(Uniform(swapped)),
                                                   Draw(Uniform(attrs, {Values({}, {1})}))};
  EXPECT_EQ(distinct.size(), 5u);
  EXPECT_EQ(Draw(Uniform(attrs)), Draw(Uniform(attrs, {Values({}, {0})})));
}

TEST(RandomUniform, AnElementDependsOnItsPlaceAlone) {
  const auto flat = Draw(Uniform({.shape = {6}, .lo = 0, .hi = 99}));
  EXPECT_EQ(Draw(Uniform({.shape = {2, 3}, .lo = 0, .hi = 99})), flat);
  EXPECT_EQ(Draw(Uniform({.shape = {4}, .lo = 0, .hi = 99})),
            std::vector<int64_t>(flat.begin(), flat.begin() + 4));
}

TEST(RandomUniform, ItsIntervalIsReached) {
  const auto y = RunOp(Uniform({.shape = {200}, .lo = -3, .hi = 4}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[200] in [-3, 4]");
  EXPECT_EQ(std::set<int64_t>(y->values[0].begin(), y->values[0].end()),
            (std::set<int64_t>{-3, -2, -1, 0, 1, 2, 3, 4}));
  EXPECT_EQ(static_cast<int64_t>(y->gas), 144 * 200);
}

TEST(RandomUniform, C1_RefusesAnEmptyRange) {
  EXPECT_EQ(LabelOf(Uniform({.shape = {1}, .lo = 1, .hi = 0})), "random_uniform_c1");
}

TEST(RandomUniform, C2_RefusesIterationsThatAreNoScalarOf32Bits) {
  const RandomUniformAttrs attrs = {.shape = {1}, .lo = 0, .hi = 1};
  EXPECT_EQ(LabelOf(Uniform(attrs, {Values({1}, {0})})), "random_uniform_c2");
  EXPECT_EQ(LabelOf(Uniform(attrs, {Values({}, {0}, {-1, 0})})), "random_uniform_c2");
  EXPECT_EQ(LabelOf(Uniform(attrs, {Values({}, {0}, {0, kMaxWord + 1})})), "random_uniform_c2");
  EXPECT_EQ(LabelOf(Uniform(attrs, {Values({}, {0}, {0, kMaxWord})})), "");
}

OpCase Categorical(TestOperand weights, int64_t samples, std::vector<TestOperand> more = {}) {
  std::vector<TestOperand> operands = {std::move(weights)};
  operands.insert(operands.end(), more.begin(), more.end());
  return {.op = Opcode::kRandomCategorical,
          .operands = std::move(operands),
          .attributes = Pack(RandomCategoricalAttrs{.samples = samples, .seed = 11})};
}

// 3 degrees of freedom: 99.9 % of the statistics are below 16.3.
TEST(RandomCategorical, DrawsInProportion) {
  const std::vector<int64_t> weights = {1, 2, 0, 3, 10};
  constexpr int64_t kDraws = 16000;
  std::vector<int64_t> counts(5, 0);
  for (const int64_t v : Draw(Categorical(Values({5}, weights), kDraws))) ++counts[v];
  int64_t chi_square_256 = 0;
  for (size_t k = 0; k < 5; ++k) {
    const int64_t expected = kDraws / 16 * weights[k];
    if (expected == 0) {
      EXPECT_EQ(counts[k], 0);
    } else {
      chi_square_256 += 256 * (counts[k] - expected) * (counts[k] - expected) / expected;
    }
  }
  EXPECT_LT(chi_square_256, 256 * 17);
}

// With equal weights of 1 the choice is the draw of random_uniform.
TEST(RandomCategorical, EqualWeightsAreUniform) {
  const auto y = Draw(Categorical(Values({2, 5}, std::vector<int64_t>(10, 1)), 30));
  EXPECT_EQ(y, Draw(Uniform({.shape = {2, 30}, .seed = 11, .lo = 0, .hi = 4})));
}

TEST(RandomCategorical, ARowOfZerosNamesTheFirst) {
  EXPECT_EQ(Draw(Categorical(Values({2, 3}, {0, 0, 0, 0, 0, 7}), 2)), (std::vector<int64_t>{0, 0, 2, 2}));
}

TEST(RandomCategorical, C1_RefusesAScalar) {
  EXPECT_EQ(LabelOf(Categorical(Values({}, {1}), 1)), "random_categorical_c1");
}

TEST(RandomCategorical, C2_RefusesNegativeWeights) {
  EXPECT_EQ(LabelOf(Categorical(Values({2}, {0, 1}, {-1, 1}), 1)), "random_categorical_c2");
}

TEST(RandomCategorical, C3_RefusesIterationsThatAreNoScalarOf32Bits) {
  EXPECT_EQ(LabelOf(Categorical(Values({2}, {0, 1}), 1, {Values({1}, {0})})), "random_categorical_c3");
  EXPECT_EQ(LabelOf(Categorical(Values({2}, {0, 1}), 1, {Values({}, {-1})})), "random_categorical_c3");
}

TEST(RandomCategorical, SumsFit64Bits) {
  constexpr int64_t kLargest = (int64_t{1} << 62) - 1;
  EXPECT_EQ(LabelOf(Categorical(Constant({2}, {kLargest, kLargest}), 5)), "");
  EXPECT_EQ(LabelOf(Categorical(Constant({2}, {kLargest + 1, kLargest + 1}), 5)), "accumulator_range");
}

}  // namespace
}  // namespace tally
