// A recipe for each function as a model would use it: tests compare them with an oracle, the benchmark times
// them.
#pragma once

#include <vector>

#include "ops/table/recipe/recipe.h"

namespace tally {

// All 65,536 values of 16 bits, over the range of inputs where the function does something.
std::vector<Recipe> SampleRecipes16();

// The same functions over the 256 values of 8 bits with several scales and zero points each.
std::vector<Recipe> SampleRecipes8();

}  // namespace tally
