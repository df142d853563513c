#include "ops/table/recipe/recipe.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"

namespace tally {
namespace {

using Entries = std::vector<int64_t>;

Recipe Make(RecipeFunction function, RecipeScale in, RecipeScale out, int64_t first, int64_t count) {
  return {
      .function = function, .in = in, .out = out, .first = first, .count = count, .lo = -1000, .hi = 1000};
}

Entries EntriesOf(const Recipe& recipe) {
  const auto entries = Expand(recipe);
  EXPECT_TRUE(entries.ok()) << entries.status();
  return entries.ok() ? *entries : Entries{};
}

TEST(Recipe, FunctionsHaveTheirCodesAndNames) {
  EXPECT_EQ(InfoOf(RecipeFunction::kIdentity).name, "identity");
  for (size_t i = 0; i < AllRecipeFunctions().size(); ++i) {
    EXPECT_EQ(FindRecipeFunction(AllRecipeFunctions()[i].name), static_cast<RecipeFunction>(i));
  }
  EXPECT_EQ(FindRecipeFunction("erfc"), std::nullopt);
}

TEST(Recipe, AddsTheZeroPointsAndClamps) {
  Recipe recipe = Make(RecipeFunction::kIdentity, {1, 0}, {1, 1}, -2, 5);  // y = x in halves
  recipe.zero_in = 1;
  recipe.zero_out = 10;
  recipe.lo = 5;
  recipe.hi = 11;
  EXPECT_EQ(EntriesOf(recipe), (Entries{5, 6, 8, 10, 11}));
}

// A whole number of halves away from a boundary by the third power of 2^-62, or by its square.
TEST(Recipe, RoundsWhatTouchesABoundaryToTheSideOfItsHigherTerms) {
  const auto tiny = [](RecipeFunction function) {
    return EntriesOf(Make(function, {1, 62}, {2, 62}, -1, 3));
  };
  using enum RecipeFunction;
  for (const RecipeFunction above : {kSinh, kTan, kAsin, kAtanh}) {
    EXPECT_EQ(tiny(above), (Entries{-1, 0, 1})) << InfoOf(above).name;
  }
  for (const RecipeFunction below : {kTanh, kSin, kAtan, kAsinh}) {
    EXPECT_EQ(tiny(below), (Entries{0, 0, 0})) << InfoOf(below).name;
  }
  const auto near_one = [](RecipeFunction function) {
    return EntriesOf(Make(function, {1, 62}, {2, 0}, -1, 3));
  };
  EXPECT_EQ(near_one(kCos), (Entries{0, 1, 0}));
  EXPECT_EQ(near_one(kCosh), (Entries{1, 1, 1}));
  EXPECT_EQ(near_one(kExp), (Entries{0, 1, 1}));
  EXPECT_EQ(near_one(kExpNegative), (Entries{1, 1, 0}));
  EXPECT_EQ(near_one(kExp2), (Entries{0, 1, 1}));
}

TEST(Recipe, NeverReachesAnAsymptote) {
  using enum RecipeFunction;
  for (const int64_t x : {40, 100, 127, 128, 1000, 1 << 30}) {
    EXPECT_EQ(EntriesOf(Make(kSigmoid, {1, 0}, {2, 0}, x, 1)), Entries{0}) << x;  // 1/2 from below
    EXPECT_EQ(EntriesOf(Make(kTanh, {1, 0}, {2, 0}, x, 1)), Entries{0}) << x;
    EXPECT_EQ(EntriesOf(Make(kTanh, {1, 0}, {2, 0}, -x, 1)), Entries{0}) << x;  // -1/2 from above
    EXPECT_EQ(EntriesOf(Make(kErf, {1, 3}, {2, 0}, x, 1)), Entries{0}) << x;
    EXPECT_EQ(EntriesOf(Make(kSoftplus, {1, 0}, {2, 0}, -x, 1)), Entries{0}) << x;
    Recipe elu = Make(kElu, {1, 0}, {2, 0}, -x, 1);
    elu.alpha = {1, 1};
    EXPECT_EQ(EntriesOf(elu), Entries{0}) << x;
    elu.alpha = {-1, 1};
    EXPECT_EQ(EntriesOf(elu), Entries{0}) << x;
  }
  for (const int64_t x : {17, 33, 65, 129, 257}) {
    for (const RecipeFunction function : {kGelu, kGeluTanh, kGeluSigmoid, kSilu, kMish}) {
      EXPECT_EQ(EntriesOf(Make(function, {1, 0}, {2, 0}, x, 1)), Entries{x / 2})
          << InfoOf(function).name << x;
    }
    EXPECT_EQ(EntriesOf(Make(kSoftplus, {1, 0}, {2, 0}, x, 1)), Entries{(x + 1) / 2}) << x;
  }
}

// gelu(x) < x, and from 10 on by less than 2^-70: half of x / out is a tie that it misses.
TEST(Recipe, OrdinaryTablesOfGeluRoundDownWhereTheirAsymptoteIsATie) {
  for (const RecipeFunction function : {RecipeFunction::kGelu, RecipeFunction::kGeluTanh}) {
    for (const int64_t shift : {2, 10}) {
      const int64_t half = int64_t{32} << shift;
      Recipe table = Make(function, {1, shift}, {1, shift - 1}, -half, 2 * half);
      table.hi = half;
      const Entries entries = EntriesOf(table);
      ASSERT_EQ(entries.size(), static_cast<size_t>(table.count));
      for (int64_t i = int64_t{10} << shift; i < half; ++i) ASSERT_EQ(entries[half + i], i / 2) << i;
    }
  }
}

TEST(Recipe, RoundsTiesOfAlgebraicFunctionsUp) {
  using enum RecipeFunction;
  EXPECT_EQ(EntriesOf(Make(kSqrt, {1, 2}, {1, 0}, 0, 10)),
            (Entries{0, 1, 1, 1, 1, 1, 1, 1, 1, 2}));                            // sqrt(9/4)
  EXPECT_EQ(EntriesOf(Make(kRsqrt, {1, 0}, {1, 0}, 3, 3)), (Entries{1, 1, 0}));  // 1/sqrt(4)
  EXPECT_EQ(EntriesOf(Make(kReciprocal, {1, 0}, {1, 0}, -2, 5)), (Entries{0, -1, 1000, 1, 1}));
  EXPECT_EQ(EntriesOf(Make(kSoftsign, {1, 0}, {1, 0}, -1, 3)), (Entries{0, 0, 1}));
  const auto power = [](RecipeParameter alpha, RecipeScale out, int64_t first, int64_t count) {
    Recipe recipe = Make(kPower, {1, 0}, out, first, count);
    recipe.alpha = alpha;
    return EntriesOf(recipe);
  };
  EXPECT_EQ(power({1, 3}, {2, 0}, 26, 3), (Entries{1, 2, 2}));  // 3/2 at 27
  EXPECT_EQ(power({3, 4}, {16, 0}, 15, 2), (Entries{0, 1}));    // 8/16
  EXPECT_EQ(power({-2, 3}, {1, 1}, 7, 3), (Entries{1, 1, 0}));  // 1/4 at 8, in halves
  EXPECT_EQ(power({4, 3}, {162, 0}, 26, 2), (Entries{0, 1}));   // 81/162 at 27
  EXPECT_EQ(power({5, 1}, {486, 0}, -3, 1), (Entries{0}));      // -243/486
  EXPECT_EQ(power({2147483647, 2147483646}, {2, 0}, 1, 2), (Entries{1, 1}));
}

TEST(Recipe, SaturatesAtPolesAndOutsideTheDomain) {
  using enum RecipeFunction;
  const auto range = [](RecipeFunction function) { return EntriesOf(Make(function, {1, 0}, {1, 3}, -2, 4)); };
  EXPECT_EQ(range(kLog), (Entries{-1000, -1000, -1000, 0}));
  EXPECT_EQ(range(kLog2), (Entries{-1000, -1000, -1000, 0}));
  EXPECT_EQ(range(kSqrt), (Entries{0, 0, 0, 8}));
  EXPECT_EQ(range(kRsqrt), (Entries{1000, 1000, 1000, 8}));
  EXPECT_EQ(range(kAsin), (Entries{-13, -13, 0, 13}));
  EXPECT_EQ(range(kAcos), (Entries{25, 25, 13, 0}));
  EXPECT_EQ(range(kAcosh), (Entries{0, 0, 0, 0}));
  EXPECT_EQ(range(kAtanh), (Entries{-1000, -1000, 0, 1000}));
  Recipe power = Make(kPower, {1, 0}, {1, 3}, -2, 4);
  power.alpha = {-1, 2};
  EXPECT_EQ(EntriesOf(power), (Entries{1000, 1000, 1000, 8}));
  power.alpha = {-2, 1};
  EXPECT_EQ(EntriesOf(power), (Entries{2, 8, 1000, 8}));
  power.alpha = {0, 1};
  EXPECT_EQ(EntriesOf(power), (Entries{8, 8, 8, 8}));
}

TEST(Recipe, HugeArgumentsAreReducedExactly) {
  // sin(2^61) = 0.925004, cos(2^61) = -0.379956, by Python's decimal module with 90 digits.
  const int64_t x = int64_t{1} << 47;
  EXPECT_EQ(EntriesOf(Make(RecipeFunction::kSin, {1 << 14, 0}, {1, 9}, x, 1)), Entries{474});
  EXPECT_EQ(EntriesOf(Make(RecipeFunction::kCos, {1 << 14, 0}, {1, 9}, x, 1)), Entries{-195});
}

TEST(Recipe, TheWorstRecipesEnd) {
  for (const RecipeFunction function : {RecipeFunction::kCos, RecipeFunction::kSinh, RecipeFunction::kErf}) {
    Recipe recipe = Make(function, {1, 62}, {2, 0}, -32768, 65536);
    EXPECT_EQ(EntriesOf(recipe).size(), 65536u);
  }
}

TEST(Recipe, WhatTheBitsDoNotDecideIsRefused) {
  const Recipe recipe = Make(RecipeFunction::kCos, {1, 62}, {2, 0}, 1, 1);  // 1/2 - 2^-126
  EXPECT_EQ(ErrorLabel(ExpandWithLimbs(recipe, 1).status()), "recipe_undecided");
  EXPECT_EQ(*ExpandWithLimbs(recipe, 4), Entries{0});
}

TEST(Recipe, RefusesFieldsOutOfRange) {
  const auto label = [](const std::function<void(Recipe&)>& change) {
    Recipe recipe = Make(RecipeFunction::kElu, {1, 4}, {1, 4}, -128, 256);
    recipe.alpha = {1, 1};
    change(recipe);
    return ErrorLabel(Expand(recipe).status());
  };
  EXPECT_EQ(label([](Recipe&) {}), "");
  const std::function<void(Recipe&)> changes[] = {
      [](Recipe& r) { r.function = static_cast<RecipeFunction>(200); },
      [](Recipe& r) {
        r.alpha = {2, 4};
      },
      [](Recipe& r) {
        r.alpha = {1, 0};
      },
      [](Recipe& r) {
        r.alpha = {1, -1};
      },
      [](Recipe& r) {
        r.alpha = {int64_t{1} << 31, 1};
      },
      [](Recipe& r) {
        r.alpha = {INT64_MIN, 1};
      },
      [](Recipe& r) {
        r.beta = {1, 1};
      },
      [](Recipe& r) {
        r.function = RecipeFunction::kCelu, r.alpha = {0, 1};
      },
      [](Recipe& r) { r.in.multiplier = 0; },
      [](Recipe& r) { r.in.multiplier = int64_t{1} << 31; },
      [](Recipe& r) { r.in.shift = 63; },
      [](Recipe& r) { r.out.shift = -1; },
      [](Recipe& r) { r.zero_in = INT64_MAX; },
      [](Recipe& r) { r.zero_out = INT64_MIN; },
      [](Recipe& r) { r.first = INT64_MIN; },
      [](Recipe& r) { r.count = 0; },
      [](Recipe& r) { r.count = 65537; },
      [](Recipe& r) { r.lo = 1001; },
      [](Recipe& r) { r.hi = int64_t{1} << 47; },
      [](Recipe& r) { r.first = int64_t{1} << 40, r.in.multiplier = 1 << 22; },
  };
  for (size_t i = 0; i < std::size(changes); ++i) EXPECT_EQ(label(changes[i]), "recipe_fields") << i;
}

}  // namespace
}  // namespace tally
