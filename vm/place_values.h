// Gives the values of a function their places (docs/spec/execution.md#memory-planner).
#pragma once

#include "absl/status/status.h"
#include "vm/valid_module.h"

namespace tally {

// Fills in what `facts` says about places and live ranges: last_steps, offsets, scratch offsets, arena. The
// parameters of the entry are in its arena; those of other functions are the arguments themselves. Subtracts
// the pairs of values that are live together from `live_pairs`. Errors: memory_limit_of_module,
// live_pairs_limit.
absl::Status PlaceValues(const Function& function, bool is_entry, int64_t* live_pairs, FunctionFacts* facts);

}  // namespace tally
