// Recipes, whose entries are the result of a run, and runs that do not take place.
#include <limits>

#include "base/strings.h"
#include "ops/elementwise/attrs.h"
#include "ops/table/recipe/sample_recipes.h"
#include "serializer/encode.h"
#include "tests/vectors/suites.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

SuiteCase TableOf(std::string name, const Recipe& recipe) {
  ModuleBuilder b(Profile::kCore);
  b.Result("entries", *b.Constant(recipe));
  return {std::move(name), Encode(std::move(b).Build()), "", {SuiteRun{}}};
}

Recipe TableRecipe(RecipeFunction function, RecipeScale in, RecipeScale out, int64_t first, int64_t count) {
  constexpr int64_t kWide = (int64_t{1} << 47) - 1;
  return {
      .function = function, .in = in, .out = out, .first = first, .count = count, .lo = -kWide, .hi = kWide};
}

}  // namespace

SuiteFile RecipeSuite() {
  SuiteFile file = {
      "recipes.json",
      "Tables given by their function: a module is valid when its digest is that of the entries.",
      {}};
  // 8 bits, with even and odd scales and zero points.
  const std::vector<Recipe> samples = SampleRecipes8();
  for (size_t i = 0; i < samples.size(); i += 5) {
    file.cases.push_back(
        TableOf(absl::StrCat(ToAbsl(InfoOf(samples[i].function).name), ", sample ", i), samples[i]));
  }
  using enum RecipeFunction;
  for (const RecipeFunction function :
       {kSigmoid, kTanh, kErf, kGelu, kGeluTanh, kGeluSigmoid, kSilu, kMish, kSoftplus}) {
    const std::string name(InfoOf(function).name);
    for (const int64_t shift : {0, 2}) {
      file.cases.push_back(TableOf(
          absl::StrCat(name, ", ties of its asymptote, in 2^-", shift),
          TableRecipe(function, {1, shift}, {2, shift}, -(int64_t{130} << shift), (260 << shift) + 1)));
    }
    file.cases.push_back(TableOf(absl::StrCat(name, ", 1/2 of an output of 2"),
                                 TableRecipe(function, {1, 1}, {2, 0}, -260, 521)));
  }
  for (const RecipeFunction function :
       {kSin, kTan, kTanh, kAsin, kAtan, kSinh, kAsinh, kAtanh, kExp, kExp2, kCos, kCosh}) {
    file.cases.push_back(TableOf(absl::StrCat(ToAbsl(InfoOf(function).name), " around 0, in steps of 2^-62"),
                                 TableRecipe(function, {1, 62}, {2, 62}, -8, 17)));
  }
  for (const RecipeFunction function : {kSin, kCos, kTan}) {
    file.cases.push_back(TableOf(absl::StrCat(ToAbsl(InfoOf(function).name), " of 2^50"),
                                 TableRecipe(function, {27566035, 2}, {1518, 25}, 216345840, 16)));
  }
  Recipe gelu = TableRecipe(kGelu, {1, 10}, {1, 9}, -32768, 65536);
  gelu.lo = -32768, gelu.hi = 32767;
  file.cases.push_back(TableOf("gelu of 16 bits", gelu));
  gelu.function = kGeluTanh;
  file.cases.push_back(TableOf("gelu_tanh of 16 bits", gelu));
  return file;
}

// y = a + b. Only the runs at a limit and one below it depend on what gas and arena are.
SuiteFile RefusedRunSuite() {
  SuiteFile file = {
      "refused_runs.json", "Runs that do not take place, in the order in which that is found.", {}};
  ModuleBuilder b(Profile::kCore);
  const TensorType type = {*Shape::Create({2}), {-5, 5}};
  const ValueId a = b.Param("a", type), c = b.Param("b", type);
  b.Result("y", b.Op(Opcode::kBroadcastAdd, {a, c}));
  const Module module = std::move(b).Build();
  const auto valid = Validate(module);
  const int64_t gas = valid->gas(), arena = valid->arena_bytes();
  SuiteCase test = {"a + b", Encode(module), "", {}};
  const Tensor good = *Tensor::FromValues(type.shape, {-5, 5}),
               high = *Tensor::FromValues(type.shape, {0, 6}), low = *Tensor::FromValues(type.shape, {-6, 0}),
               shape = *Tensor::FromValues(*Shape::Create({1, 2}), {0, 9});
  test.runs = {
      {{good, good}},
      {{good, good}, gas, arena},
      {{good, good}, gas - 1, {}, "gas_limit"},
      {{good, good}, {}, arena - 1, "memory_limit"},
      {{good, good}, 0, {}, "gas_limit"},
      {{good, good}, {}, 0, "memory_limit"},
      {{good, good}, 1, {}, "gas_limit"},
      {{good, good}, {}, 1, "memory_limit"},
      {{good, good}, 1, 1, "gas_limit"},
      {{shape, good}, 1, {}, "gas_limit"},
      {{shape, good}, {}, 1, "memory_limit"},
      {{good, high}, {}, 1, "memory_limit"},
      {{shape, good}, {}, {}, "input_shape"},
      {{good, shape}, {}, {}, "input_shape"},
      {{high, good}, {}, {}, "input_interval"},
      {{good, low}, {}, {}, "input_interval"},
      {{high, shape}, {}, {}, "input_interval"},
      {{shape, high}, {}, {}, "input_shape"},
  };
  file.cases.push_back(std::move(test));
  return file;
}

}  // namespace tally
