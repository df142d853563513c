// The runs of a server: plans of the cpu engine that nobody observes, in memory of the caller.
#pragma once

#include <span>
#include <string>

#include "absl/status/status.h"
#include "vm/plan.h"

namespace tally {

// Runs `plan` twice in guarded memory of the caller, aligned first, where the engine works in it, and then
// not. OK when both runs give the results of `expected`, leave the inputs as they were and write nothing
// beside the results.
absl::Status CheckServed(const std::string& engine, const Plan& plan, std::span<const TensorView> inputs,
                         const Outcome& expected);

}  // namespace tally
