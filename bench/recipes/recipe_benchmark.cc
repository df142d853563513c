// The cost of expanding a table of all 65,536 values of 16 bits, for each function of recipes: as a model
// would use it, and at most, when every entry is tried at all four widths up to 512 bits. Of the latter 1,024
// entries are timed; `table_s` is what 65,536 take.
//
//   bazel run //bench/recipes:recipe_benchmark
#include <benchmark/benchmark.h>

#include <string>

#include "ops/table/recipe/evaluate.h"
#include "ops/table/recipe/recipe.h"
#include "ops/table/recipe/sample_recipes.h"

namespace tally {
namespace {

using recipe::Dyadic;
using recipe::EnterDomain;
using recipe::Evaluate;
using recipe::Infinity;

void ExpandTable(benchmark::State& state, const Recipe& recipe) {
  for (auto _ : state) benchmark::DoNotOptimize(Expand(recipe));
  if (!Expand(recipe).ok()) state.SkipWithError("the recipe does not expand");
}

void EvaluateAtAllWidths(benchmark::State& state, const Recipe& recipe) {
  constexpr int64_t kEntries = 1024;
  for (auto _ : state) {
    for (int64_t i = 0; i < kEntries; ++i) {
      const int64_t index = recipe.first + i * (recipe.count / kEntries);
      Dyadic x = {(index - recipe.zero_in) * recipe.in.multiplier, recipe.in.shift};
      if (EnterDomain(recipe, x) != Infinity::kNone) continue;
      benchmark::DoNotOptimize(Evaluate<1>(recipe, x));
      benchmark::DoNotOptimize(Evaluate<2>(recipe, x));
      benchmark::DoNotOptimize(Evaluate<4>(recipe, x));
      benchmark::DoNotOptimize(Evaluate<8>(recipe, x));
    }
  }
  state.counters["table_s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kEntries / kMaxRecipeEntries,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// Next to 1, where a rounding boundary is put: tanh differs from it by 2^-277 to 2^-369.
Recipe NearABoundary() {
  Recipe recipe = {
      .function = RecipeFunction::kTanh, .first = 96 << 11, .count = kMaxRecipeEntries, .lo = 0, .hi = 1};
  recipe.in.shift = 11;
  recipe.out.multiplier = 2;
  return recipe;
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  const auto add = [](const std::string& name, auto run, const tally::Recipe& recipe) {
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
      run(state, recipe);
    })->Unit(benchmark::kMillisecond);
  };
  for (const tally::Recipe& recipe : tally::SampleRecipes16()) {
    const std::string name(tally::InfoOf(recipe.function).name);
    add(name, tally::ExpandTable, recipe);
    add(name + "/all_widths", tally::EvaluateAtAllWidths, recipe);
  }
  add("tanh/near_a_boundary", tally::ExpandTable, tally::NearABoundary());
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
