// The instructions that a user lets kernels use.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "base/cpu_flags.h"

namespace tally {

// Those of `level` that this machine has. Empty: of what the environment variable TALLY_ARCH says, or
// else all that it has.
// Errors: arch_unknown.
absl::StatusOr<CpuFlags> CpuFlagsOf(std::string_view level);

}  // namespace tally
