// No recipe is refused because an entry is hard to decide: half of the bits that Expand may use decide the
// entries that come nearest to a rounding boundary. Those are the ones where a boundary is the asymptote of
// the function, or its first terms around a point where it is rational; elsewhere a value is as far from a
// boundary as a random number.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "ops/table/recipe/evaluate.h"
#include "ops/table/recipe/recipe.h"

namespace tally {
namespace {

using recipe::AsymptoteAt;
using recipe::Ball;
using recipe::Dyadic;
using recipe::EnterDomain;
using recipe::Evaluate;
using recipe::Infinity;
using recipe::RoundHalfUp;

constexpr int kHalfOfTheLimbs = 4;
constexpr int64_t kWide = (int64_t{1} << 47) - 1;

// The functions, those with parameters in several versions: usual ones, and as large and as odd as they can
// be.
std::vector<Recipe> Functions() {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  const RecipeParameter parameters[] = {{1, 1}, {3, 2}, {-1, 3}, {kMost, 1}, {1, kMost}, {kMost, kMost - 1}};
  std::vector<Recipe> recipes;
  for (size_t code = 0; code < AllRecipeFunctions().size(); ++code) {
    const auto function = static_cast<RecipeFunction>(code);
    const int count = InfoOf(function).parameters;
    for (const RecipeParameter& alpha : parameters) {
      if (function == RecipeFunction::kCelu && alpha.numerator <= 0) continue;
      Recipe recipe = {.function = function, .lo = -kWide, .hi = kWide};
      if (count >= 1) recipe.alpha = alpha;
      if (count >= 2) recipe.beta = parameters[recipes.size() % std::size(parameters)];
      recipes.push_back(recipe);
      if (count == 0) break;
    }
  }
  return recipes;
}

void ExpectDecided(const Recipe& recipe) {
  const auto entries = ExpandWithLimbs(recipe, kHalfOfTheLimbs);
  EXPECT_TRUE(entries.ok()) << entries.status() << "; in " << recipe.in.multiplier << " 2^-"
                            << recipe.in.shift << ", out " << recipe.out.multiplier << " 2^-"
                            << recipe.out.shift << ", first " << recipe.first << ", zero_in "
                            << recipe.zero_in << ", alpha " << recipe.alpha.numerator << "/"
                            << recipe.alpha.denominator;
}

// Every odd multiple of `out` / 2 is a boundary: x, 1 and -1 are.
TEST(RecipeDecided, WhereTheAsymptoteIsABoundary) {
  for (Recipe recipe : Functions()) {
    for (const int64_t shift : {0, 1, 5}) {
      recipe.in = {1, shift};
      recipe.first = -(int64_t{130} << shift);
      recipe.count = 2 * (int64_t{130} << shift) + 1;
      for (const RecipeScale& out : {RecipeScale{2, shift}, RecipeScale{2, 0}, RecipeScale{1, 62}}) {
        recipe.out = out;
        ExpectDecided(recipe);
      }
    }
  }
}

// Steps of 2^-62 around 0, of 2^-46 around 1, -1 and 1/2, and outputs in steps as fine: f(c + h) = f(c) +
// f'(c) h + ...
TEST(RecipeDecided, WhereTheFirstTermsAreABoundary) {
  for (Recipe recipe : Functions()) {
    for (const int64_t centre : {0, 1, -1, 2}) {
      recipe.in = centre == 0 ? RecipeScale{1, 62} : RecipeScale{1 << 15, 61};
      recipe.zero_in = centre == 2 ? -(int64_t{1} << 45) : -centre * (int64_t{1} << 46);
      recipe.first = -40;
      recipe.count = 81;
      for (const RecipeScale& out : {RecipeScale{1, 62}, RecipeScale{2, 62}, RecipeScale{1 << 15, 61},
                                     RecipeScale{1 << 16, 61}, RecipeScale{1, 0}, RecipeScale{2, 0}}) {
        recipe.out = out;
        ExpectDecided(recipe);
      }
    }
  }
}

TEST(RecipeDecided, AnyScales) {
  std::mt19937_64 random(14);
  const auto up_to = [&](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most + 1));
  };
  const auto scale = [&] {
    return RecipeScale{1 + up_to((int64_t{1} << up_to(31)) - 1) % ((int64_t{1} << 31) - 1), up_to(62)};
  };
  for (int round = 0; round < 300; ++round) {
    for (Recipe recipe : Functions()) {
      recipe.in = scale();
      recipe.out = scale();
      recipe.first = up_to(int64_t{1} << up_to(30)) - up_to(int64_t{1} << up_to(30));
      recipe.count = 8;
      ExpectDecided(recipe);
    }
  }
}

// The start that AsymptoteAt names: f is nearer to the asymptote than 2^-63, and a boundary that is not the
// asymptote of a function without parameters is at least 2^-63 away from it.
TEST(RecipeDecided, AsymptotesBeginWhereNoOtherBoundaryFits) {
  int found = 0;
  for (const Recipe& recipe : Functions()) {
    if (InfoOf(recipe.function).parameters > 0) continue;
    for (const int64_t sign : {-1, 1}) {
      for (int power = 0; power < 8; ++power) {
        const Dyadic x = {sign * (int64_t{1} << power), 0};
        const auto asymptote = AsymptoteAt(recipe, x);
        if (!asymptote) continue;
        Dyadic inside = x;
        if (EnterDomain(recipe, inside) != Infinity::kNone) continue;
        const Ball<8> limit = asymptote->value.numerator / asymptote->value.denominator;
        const Ball<8> distance = (Evaluate<8>(recipe, x) - limit).TimesPowerOfTwo(63);
        EXPECT_EQ(RoundHalfUp(distance.Abs() - Ball<8>::FromInt(1).TimesPowerOfTwo(-1), 1), 0)
            << InfoOf(recipe.function).name << " at " << x.mantissa;
        EXPECT_EQ((Evaluate<8>(recipe, x) - limit).negative, asymptote->from_below)
            << InfoOf(recipe.function).name << " at " << x.mantissa;
        ++found;
        break;
      }
    }
  }
  EXPECT_EQ(found, 9 * 2 + 3);  // nine functions on both sides, exp, exp2 and exp_negative on one
}

}  // namespace
}  // namespace tally
