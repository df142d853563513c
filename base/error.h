// Refusals with a stable identity.
//
//   return MakeError("conv2d_c3", "weight shape [8, 4, 3, 3] does not fit groups = 3");
//   ...
//   EXPECT_EQ(ErrorLabel(status), "conv2d_c3");
//
// A label is lower snake case, names one sentence of the specification and never changes its meaning.
// Tests and vectors compare labels; messages are for people and may change.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace tally {

// An InvalidArgument status whose identity is `label`; `message` says which values were at fault.
absl::Status MakeError(std::string_view label, std::string_view message);

// The label that MakeError attached, or "" when `status` is OK or comes from elsewhere.
std::string ErrorLabel(const absl::Status& status);

}  // namespace tally
