// Gives the constants that a module carries as recipes their bytes.
#pragma once

#include "absl/status/status.h"
#include "vm/module.h"

namespace tally {

// Expands every recipe, equal ones once, whatever bytes its constant has, and checks the bytes against what
// the module says about them. Errors: recipe_entries_limit; recipe_fields, constant_size, constant_storage,
// recipe_digest for the first recipe that has one. Also recipe_undecided (ops/table/recipe/recipe.h).
absl::Status ExpandRecipes(Module& module);

}  // namespace tally
