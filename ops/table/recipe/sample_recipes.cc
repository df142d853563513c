#include "ops/table/recipe/sample_recipes.h"

namespace tally {
namespace {

struct Parameters {
  RecipeParameter alpha, beta;
};

Parameters ParametersOf(RecipeFunction function) {
  switch (function) {
    case RecipeFunction::kElu: return {{1, 1}, {}};
    case RecipeFunction::kSelu:
      return {{1754501, 1048576}, {8813287, 8388608}};  // the nearest float32 numbers
    case RecipeFunction::kCelu: return {{3, 2}, {}};
    case RecipeFunction::kHardSigmoid: return {{1, 5}, {1, 2}};
    case RecipeFunction::kHardSwish: return {{1, 6}, {1, 2}};
    case RecipeFunction::kPower: return {{3, 4}, {}};
    case RecipeFunction::kThreshold: return {{1, 1}, {}};
    default: return {};
  }
}

// The exponent of two that the greatest input is near.
int InputBits(RecipeFunction function) {
  switch (function) {
    case RecipeFunction::kAsin:
    case RecipeFunction::kAcos:
    case RecipeFunction::kAtanh: return 0;
    case RecipeFunction::kErf:
    case RecipeFunction::kTan: return 2;
    case RecipeFunction::kCosh:
    case RecipeFunction::kSinh: return 3;
    case RecipeFunction::kSin:
    case RecipeFunction::kCos: return 5;
    case RecipeFunction::kLog:
    case RecipeFunction::kLog2:
    case RecipeFunction::kSqrt:
    case RecipeFunction::kRsqrt:
    case RecipeFunction::kReciprocal:
    case RecipeFunction::kPower: return 8;
    default: return 3;
  }
}

// The same for outputs; what is beyond is clamped.
int OutputBits(RecipeFunction function) {
  switch (function) {
    case RecipeFunction::kExp:
    case RecipeFunction::kExpNegative:
    case RecipeFunction::kExp2:
    case RecipeFunction::kCosh:
    case RecipeFunction::kSinh: return 8;
    case RecipeFunction::kSigmoid:
    case RecipeFunction::kTanh:
    case RecipeFunction::kErf:
    case RecipeFunction::kSoftsign:
    case RecipeFunction::kHardSigmoid:
    case RecipeFunction::kSin:
    case RecipeFunction::kCos:
    case RecipeFunction::kSign: return 0;
    case RecipeFunction::kAsin:
    case RecipeFunction::kAcos:
    case RecipeFunction::kAtan:
    case RecipeFunction::kRsqrt:
    case RecipeFunction::kReciprocal: return 2;
    case RecipeFunction::kPower:
    case RecipeFunction::kSqrt: return 6;
    default: return 3;
  }
}

Recipe Sample(RecipeFunction function, int bits) {
  const int64_t half = int64_t{1} << (bits - 1);
  const Parameters parameters = ParametersOf(function);
  Recipe recipe = {.function = function, .alpha = parameters.alpha, .beta = parameters.beta};
  recipe.in.shift = bits - 1 - InputBits(function);
  recipe.out.shift = bits - 1 - OutputBits(function);
  recipe.out.multiplier = 1;
  recipe.first = -half;
  recipe.count = 2 * half;
  recipe.lo = -half;
  recipe.hi = half - 1;
  // An 8-bit table's shifts may be negative: then the multiplier takes the power of two.
  for (RecipeScale* scale : {&recipe.in, &recipe.out}) {
    for (; scale->shift < 0; ++scale->shift) scale->multiplier *= 2;
  }
  return recipe;
}

template <typename Visit>
void ForEachFunction(Visit visit) {
  for (size_t i = 0; i < AllRecipeFunctions().size(); ++i) visit(static_cast<RecipeFunction>(i));
}

}  // namespace

std::vector<Recipe> SampleRecipes16() {
  std::vector<Recipe> recipes;
  ForEachFunction([&](RecipeFunction function) { recipes.push_back(Sample(function, 16)); });
  return recipes;
}

std::vector<Recipe> SampleRecipes8() {
  std::vector<Recipe> recipes;
  ForEachFunction([&](RecipeFunction function) {
    for (const int64_t multiplier : {1, 3, 12345677, 2147483647}) {
      for (const int64_t zero : {0, -128, 127, 5}) {
        Recipe recipe = Sample(function, 8);
        int shift = 0;
        while (multiplier >> (shift + 1) != 0) ++shift;
        recipe.in = {multiplier * recipe.in.multiplier, recipe.in.shift + shift};
        recipe.out = {multiplier, recipe.out.shift + shift};
        if (recipe.in.multiplier >= int64_t{1} << 31) recipe.in = {multiplier, shift};
        recipe.zero_in = zero;
        recipe.zero_out = -zero;
        recipes.push_back(recipe);
      }
    }
  });
  return recipes;
}

}  // namespace tally
