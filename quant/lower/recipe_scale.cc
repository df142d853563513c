#include "quant/lower/recipe_scale.h"

#include <algorithm>

#include "base/status_macros.h"
#include "quant/grid/fixed_multiplier.h"

namespace tally::quant {

absl::StatusOr<RecipeScale> RecipeScaleOf(double scale) {
  ASSIGN_OR_RETURN(const FixedMultiplier step, ToFixedMultiplier(scale, 1));
  return RecipeScale{std::max<int64_t>(step.multiplier, 1), step.shift};
}

}  // namespace tally::quant
