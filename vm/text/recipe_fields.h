// The names under which the text form gives the integers of a recipe, in the order of RecipeFields.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tally {

struct RecipeTextField {
  std::string_view name;
  size_t integers;  // 1, or 2 in brackets
};

inline constexpr std::array kRecipeTextFields = {
    RecipeTextField{"alpha", 2}, RecipeTextField{"beta", 2}, RecipeTextField{"in", 2},
    RecipeTextField{"out", 2},   RecipeTextField{"zero", 2}, RecipeTextField{"first", 1},
    RecipeTextField{"clamp", 2},
};

}  // namespace tally
