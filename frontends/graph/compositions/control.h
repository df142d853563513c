// Branches and loops, all of whose layers are in the graph: what chooses between their results, and what
// joins these.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

// `a` where `condition`, one flag, is not 0, else `b`. Errors: model_malformed for another condition,
// model_unsupported_operand where the two have different types.
absl::StatusOr<Operand> Either(Emitter& emitter, const Operand& condition, const Operand& a,
                               const Operand& b);

// One after the other along a new first axis. Errors: model_shape where there are none.
absl::StatusOr<Operand> Stacked(Emitter& emitter, const std::vector<Operand>& parts);

}  // namespace tally::frontend
