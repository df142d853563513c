// Laws of validation: one verdict, and a memory plan that holds.
#pragma once

#include "absl/status/status.h"
#include "vm/valid_module.h"

namespace tally {

// Validates `module` twice. OK when both verdicts are the same: label and message, or types, gas and offsets.
absl::Status CheckValidationIsPure(const Module& module);

// Replays the lifetimes of all values of each function. OK when values and working memory that are live
// together do not overlap in the arena, are aligned and inside it, and the reported peak is what the replay
// finds.
absl::Status CheckPlacement(const ValidModule& module);

}  // namespace tally
