// A transcript of a run, to compare with that of another.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "vm/plan.h"

namespace tally {

struct Transcript {
  struct Shown {
    std::vector<CallSite> path;
    ValueId id;
    Tensor value;
  };
  std::vector<Shown> values;  // per instruction that ran, in order
  Outcome outcome;
};

// Runs `plan` observed. An exception, as the trapping engine throws, is an error.
absl::StatusOr<Transcript> Observe(const Plan& plan, std::span<const TensorView> inputs);

// Runs `plan` with an observer, or with a root observer. OK when it shows what `expected` has and gives its
// results.
absl::Status CheckObserved(const std::string& engine, const Plan& plan, std::span<const TensorView> inputs,
                           const Transcript& expected, bool roots);

// Same results, of the same storage, and the same gas.
absl::Status CheckSameOutcome(const std::string& engine, const Outcome& outcome, const Outcome& expected);

}  // namespace tally
