// What it costs to expand a table of all 65,536 values of 16 bits, for each function of recipes.
//
//   bazel run //bench/recipes:recipe_benchmark
#include <benchmark/benchmark.h>

#include <string>

#include "ops/table/recipe/recipe.h"
#include "ops/table/recipe/sample_recipes.h"

namespace tally {
namespace {

void ExpandTable(benchmark::State& state, const Recipe& recipe) {
  for (auto _ : state) benchmark::DoNotOptimize(Expand(recipe));
  if (!Expand(recipe).ok()) state.SkipWithError("the recipe does not expand");
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  for (const tally::Recipe& recipe : tally::SampleRecipes16()) {
    benchmark::RegisterBenchmark(std::string(tally::InfoOf(recipe.function).name).c_str(),
                                 [recipe](benchmark::State& state) { tally::ExpandTable(state, recipe); })
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
