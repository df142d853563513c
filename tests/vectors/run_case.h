// Runs one conformance case on every engine, over every trip.
#pragma once

#include "absl/status/status.h"
#include "tests/vectors/vector_file.h"

namespace tally {

// Builds, validates and runs a module of one instruction of `op` after its parameters and constants. OK when
// it is refused with the label that the case names, or has the types and the gas of the case and every engine
// computes its values, as it does those of the module that LowerOperators makes of it.
absl::Status RunCase(const OpInfo& op, const VectorCase& test);

// The same for the instructions of a lowering, whose types and gas are their own matter.
absl::Status RunCase(const LoweringInfo& lowering, const VectorCase& test);

}  // namespace tally
