// Regions as files have them.
#pragma once

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

struct RegionOperands {
  Operand regions;  // [R, 4]
  Operand images;   // [R], integers
};

// From rows [R, 5] that begin with the number of an image. Errors: model_shape for other shapes.
absl::StatusOr<RegionOperands> SplitRegions(Emitter& emitter, const Operand& rows);

}  // namespace tally::frontend
