// A real scale as a table's recipe has it.
#pragma once

#include "absl/status/statusor.h"
#include "ops/table/recipe/recipe.h"

namespace tally::quant {

// The closest multiplier * 2^-shift, with a relative error of at most 2^-31; the least one where scale is
// smaller yet.
// Errors: lower_gain, when scale is not in [0, 2^31).
absl::StatusOr<RecipeScale> RecipeScaleOf(double scale);

}  // namespace tally::quant
