// The operators of family random, by hand-computed values: what they accept and what they give.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "quant/graph/testing/evaluate_op.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

std::vector<int64_t> Draws(const Op& op, const std::vector<Tensor>& operands = {}) {
  return std::get<Int64Tensor>(EvaluateOp(op, operands)).data;
}

TEST(RandomOps, TypesAndTheirRefusals) {
  EXPECT_EQ(InferOp(RandomIntegers{.shape = {2, 3}, .lo = -1, .hi = 4}, {}), "int64[2, 3]");
  EXPECT_EQ(InferOp(RandomIntegers{.shape = {2, 0}}, {}), "graph_dimension");
  EXPECT_EQ(InferOp(RandomIntegers{.shape = {2}, .seed = kMostSeed + 1}, {}), "graph_attribute");
  EXPECT_EQ(InferOp(RandomIntegers{.shape = {2}, .layer = -1}, {}), "graph_attribute");
  EXPECT_EQ(InferOp(RandomIntegers{.shape = {2}, .lo = 1, .hi = 0}, {}), "graph_attribute");
  EXPECT_EQ(InferOp(RandomIntegers{.shape = {2}, .lo = INT64_MIN, .hi = INT64_MAX}, {}), "graph_attribute");
  EXPECT_EQ(InferOp(RandomCategorical{.samples = 7}, {FloatType({2, 5})}), "int64[2, 7]");
  EXPECT_EQ(InferOp(RandomCategorical{}, {FloatType({})}), "graph_shape");
  EXPECT_EQ(InferOp(RandomCategorical{.samples = 0}, {FloatType({2, 5})}), "graph_attribute");
  EXPECT_EQ(InferOp(RandomCategorical{}, {IntegerType({2, 5})}), "graph_element_type");
}

TEST(RandomOps, IntegersAreEquallyLikelyAndDependOnSeedAndLayer) {
  constexpr int64_t kDraws = 60000;
  const RandomIntegers op = {.shape = {kDraws}, .seed = 5, .layer = 1, .lo = -2, .hi = 3};
  const std::vector<int64_t> drawn = Draws(op);
  for (int64_t value = -2; value <= 3; ++value) {
    // Six standard deviations of a count: 6 * sqrt(60000 * 5 / 36).
    EXPECT_NEAR(std::count(drawn.begin(), drawn.end(), value), kDraws / 6, 548) << value;
  }
  for (const RandomIntegers& other :
       {RandomIntegers{{kDraws}, 6, 1, -2, 3}, RandomIntegers{{kDraws}, 5, 2, -2, 3}}) {
    const std::vector<int64_t> others = Draws(other);
    int64_t equal = 0;
    for (int64_t i = 0; i < kDraws; ++i) equal += drawn[i] == others[i];
    EXPECT_NEAR(equal, kDraws / 6, 548);
  }
}

TEST(RandomOps, PlacesAreInProportionToTheirWeights) {
  constexpr int64_t kDraws = 60000;
  const RandomCategorical op = {.samples = kDraws, .seed = 5};
  const FloatTensor weights{{2, 4}, {1, 0, 2, 3, -5, -1, 0, -2}};
  const std::vector<int64_t> drawn = Draws(op, {weights});
  const auto first = drawn.begin(), second = drawn.begin() + kDraws;
  const std::vector<int64_t> expected = {kDraws / 6, 0, kDraws / 3, kDraws / 2};
  for (int64_t k = 0; k < 4; ++k) EXPECT_NEAR(std::count(first, second, k), expected[k], 735) << k;
  EXPECT_EQ(std::count(second, drawn.end(), 0), kDraws);  // no weight is above 0
}

}  // namespace
}  // namespace tally::quant
