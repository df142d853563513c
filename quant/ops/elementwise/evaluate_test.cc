// The operators of family elementwise, by hand-computed values: what they accept and what they give.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "quant/graph/testing/evaluate_op.h"

namespace tally::quant {
namespace {

std::vector<float> Of(const Op& op, const std::vector<float>& x) {
  return EvaluateFloatOp(op, {FloatTensor{{static_cast<int64_t>(x.size())}, x}});
}

TEST(EvaluateElementwise, PairsBroadcast) {
  const FloatTensor a{{2, 1}, {6, -3}}, b{{2}, {2, 4}};
  EXPECT_EQ(EvaluateFloatOp(Sub{}, {a, b}), (std::vector<float>{4, 2, -5, -7}));
  EXPECT_EQ(EvaluateFloatOp(Mul{}, {a, b}), (std::vector<float>{12, 24, -6, -12}));
  EXPECT_EQ(EvaluateFloatOp(Div{}, {a, b}), (std::vector<float>{3, 1.5, -1.5, -0.75}));
  EXPECT_EQ(EvaluateFloatOp(Max{}, {a, FloatTensor{{1}, {2}}}), (std::vector<float>{6, 2}));
  EXPECT_EQ(EvaluateFloatOp(Min{}, {a, FloatTensor{{1}, {2}}}), (std::vector<float>{2, -3}));
}

TEST(EvaluateElementwise, NaNPassesOn) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const FloatTensor with{{2}, {nan, 1}}, other{{2}, {1, nan}};
  for (const Op& op : {Op(Add{}), Op(Sub{}), Op(Mul{}), Op(Div{}), Op(Max{}), Op(Min{})}) {
    for (const float y : EvaluateFloatOp(op, {with, other})) EXPECT_TRUE(std::isnan(y)) << OpName(op);
  }
  EXPECT_TRUE(std::isnan(Of(Slopes{0, 0}, {nan})[0]));
  for (const RecipeFunctionInfo& info : AllRecipeFunctions()) {
    const float alpha = info.parameters > 0 ? 1.5f : 0;
    EXPECT_TRUE(std::isnan(Of(Unary{*FindRecipeFunction(info.name), alpha}, {nan})[0])) << info.name;
  }
}

TEST(EvaluateElementwise, Slopes) {
  EXPECT_EQ(Of(Slopes{0.5f, 3}, {-2, 0, 2}), (std::vector<float>{-1, 0, 6}));
}

// The float definition of each function is that of its recipe: all entries of a table, within half a step of
// 2^-16.
TEST(EvaluateElementwise, FunctionsAreThoseOfTheirRecipes) {
  for (const RecipeFunctionInfo& info : AllRecipeFunctions()) {
    Recipe recipe{.function = *FindRecipeFunction(info.name),
                  .in = {1, 4},
                  .out = {1, 16},
                  .first = 1,
                  .count = 16,
                  .lo = -(int64_t{1} << 40),
                  .hi = int64_t{1} << 40};
    Unary op{recipe.function};
    if (info.parameters > 0) op.alpha = 1.5f, recipe.alpha = {3, 2};
    if (info.parameters > 1) op.beta = -0.25f, recipe.beta = {-1, 4};
    const auto entries = tally::Expand(recipe);
    ASSERT_TRUE(entries.ok()) << entries.status();
    for (int64_t i = 0; i < recipe.count; ++i) {
      const float x = static_cast<float>(recipe.first + i) / 16;
      const double y = Of(op, {x})[0], entry = static_cast<double>((*entries)[i]) / 65536;
      if (!std::isfinite(y)) continue;  // the table saturates
      EXPECT_NEAR(y, entry, 0.5 / 65536 + 1e-6 * std::abs(y)) << info.name << " of " << x;
    }
  }
}

TEST(EvaluateElementwise, FunctionsLeftOfZeroAndFarOut) {
  EXPECT_EQ(Of(Unary{RecipeFunction::kSoftplus}, {-200, 200}), (std::vector<float>{0, 200}));
  EXPECT_EQ(Of(Unary{RecipeFunction::kMish}, {-200, 200}), (std::vector<float>{0, 200}));
  EXPECT_EQ(Of(Unary{RecipeFunction::kSigmoid}, {-200, 200}), (std::vector<float>{0, 1}));
  EXPECT_EQ(Of(Unary{RecipeFunction::kSign}, {-5, 0, 5}), (std::vector<float>{-1, 0, 1}));
  EXPECT_EQ(Of(Unary{RecipeFunction::kRoundHalfEven}, {-2.5, -1.5, 0.5, 1.5}),
            (std::vector<float>{-2, -2, 0, 2}));
  EXPECT_EQ(Of(Unary{RecipeFunction::kPower, 3}, {-2, 2}), (std::vector<float>{-8, 8}));
  EXPECT_EQ(Of(Unary{RecipeFunction::kThreshold, 1}, {-2, 1, 2}), (std::vector<float>{0, 0, 2}));
}

TEST(Evaluate, AddBroadcasts) {
  EXPECT_EQ(EvaluateOp(Add{}, {F({2}, {1, 2}), F({2}, {10, 20})}), Tensor(F({2}, {11, 22})));
  EXPECT_EQ(EvaluateOp(Add{}, {F({2, 1}, {1, 2}), F({3}, {10, 20, 30})}),
            Tensor(F({2, 3}, {11, 21, 31, 12, 22, 32})));
  EXPECT_EQ(EvaluateOp(Add{}, {F({}, {1}), F({1, 2}, {10, 20})}), Tensor(F({1, 2}, {11, 21})));
}

TEST(Evaluate, ReluAndClip) {
  const float infinity = std::numeric_limits<float>::infinity();
  const FloatTensor x = F({4}, {-2, -0.5f, 0.5f, 9});
  EXPECT_EQ(EvaluateOp(Relu{}, {x}), Tensor(F({4}, {0, 0, 0.5f, 9})));
  EXPECT_EQ(EvaluateOp(Clip{0, 6}, {x}), Tensor(F({4}, {0, 0, 0.5f, 6})));
  EXPECT_EQ(EvaluateOp(Clip{-1, infinity}, {x}), Tensor(F({4}, {-1, -0.5f, 0.5f, 9})));
}

TEST(Evaluate, ReluAndClipPassNaNOn) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Op& op : {Op(Relu{}), Op(Clip{0, 6})}) {
    EXPECT_TRUE(std::isnan(std::get<FloatTensor>(EvaluateOp(op, {F({1}, {nan})})).data[0])) << OpName(op);
  }
}

}  // namespace
}  // namespace tally::quant
