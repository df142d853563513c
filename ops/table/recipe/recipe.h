// A table as the function that it holds: 65,536 entries in some 40 bytes.
//
//   Recipe recipe{.function = RecipeFunction::kSigmoid, .first = -128, .count = 256, .lo = -128, .hi = 127};
//   recipe.in = {.multiplier = 1, .shift = 4};   // x = i / 16
//   recipe.out = {.multiplier = 1, .shift = 8};  // y in steps of 1/256
//   recipe.zero_out = -128;
//   ASSIGN_OR_RETURN(const std::vector<int64_t> entries, Expand(recipe));
//
// T[k] = min(max(floor(f((i - zero_in) in) / out + 1/2) + zero_out, lo), hi) for i = first + k, correctly
// rounded: so the entries are a function of the recipe alone, the same on every machine. docs/spec/recipes.md
// has the functions, their domains and the proof of an entry. No floating point.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/tensor.h"

namespace tally {

enum class RecipeFunction : uint8_t {
#define TALLY_RECIPE_FUNCTION(code, Name, text, parameters, summary) k##Name = code,
#include "ops/table/recipe/functions.inc"
#undef TALLY_RECIPE_FUNCTION
};

inline constexpr std::array kRecipeFunctionNames = {
#define TALLY_RECIPE_FUNCTION(code, Name, text, parameters, summary) std::string_view(text),
#include "ops/table/recipe/functions.inc"
#undef TALLY_RECIPE_FUNCTION
};

struct RecipeFunctionInfo {
  std::string_view name;
  int parameters;  // how many of alpha, beta it has; the others are 0
  std::string_view summary;
};

// In the order of their codes, which have no gaps.
std::span<const RecipeFunctionInfo> AllRecipeFunctions();
const RecipeFunctionInfo& InfoOf(RecipeFunction function);
std::optional<RecipeFunction> FindRecipeFunction(std::string_view name);

// numerator / denominator in lowest terms, both below 2^31 in magnitude.
struct RecipeParameter {
  int64_t numerator = 0;
  int64_t denominator = 1;

  friend bool operator==(const RecipeParameter&, const RecipeParameter&) = default;
};

// multiplier 2^-shift
struct RecipeScale {
  int64_t multiplier = 1;  // in [1, 2^31)
  int64_t shift = 0;       // in [0, 62]

  friend bool operator==(const RecipeScale&, const RecipeScale&) = default;
};

struct Recipe {
  RecipeFunction function = RecipeFunction::kExp;
  RecipeParameter alpha, beta;
  RecipeScale in, out;
  int64_t zero_in = 0, zero_out = 0;  // within +-2^47
  int64_t first = 0;                  // within +-2^47, and |(i - zero_in) in.multiplier| < 2^62 for every i
  int64_t count = 1;                  // in [1, 65536]
  int64_t lo = 0, hi = 0;             // lo <= hi, within the tensor limit

  friend bool operator==(const Recipe&, const Recipe&) = default;
};

// The integers of a recipe in the order of the binary form. The function is written before them, and the
// count follows from the shape of the constant.
template <typename R>  // Recipe or const Recipe
auto RecipeFields(R& r) {
  return std::array{&r.alpha.numerator,
                    &r.alpha.denominator,
                    &r.beta.numerator,
                    &r.beta.denominator,
                    &r.in.multiplier,
                    &r.in.shift,
                    &r.out.multiplier,
                    &r.out.shift,
                    &r.zero_in,
                    &r.zero_out,
                    &r.first,
                    &r.lo,
                    &r.hi};
}

inline constexpr int64_t kMaxRecipeEntries = 65536;  // every value of 16 bits

// Whether the fields are in range. Error: recipe_fields.
absl::Status CheckRecipe(const Recipe& recipe);

// The entries. Errors: recipe_fields; recipe_undecided, when an enclosure of 512 bits still has a rounding
// boundary inside: a fault of this library, not of the recipe (docs/spec/recipes.md says why none is known).
absl::StatusOr<std::vector<int64_t>> Expand(const Recipe& recipe);

// The entries as a tensor of `shape`, which has `count` elements, in the narrowest storage of the entries.
absl::StatusOr<Tensor> ExpandToTensor(const Recipe& recipe, const Shape& shape);

// Expand with at most 64 `limbs` bits, of 1, 2, 4 and 8 limbs; Expand itself has 8.
absl::StatusOr<std::vector<int64_t>> ExpandWithLimbs(const Recipe& recipe, int limbs);

}  // namespace tally
