// Whether a run gives what a claim says, whoever has signed it: by a run of one's own, on any engine
// (docs/spec/receipt.md#verdicts).
//
//   const ClaimFinding found = RecomputeClaim(claim, claimed, *plan, inputs, {}, /*traced=*/true);
//   const Finding<Recomputation> of_receipt = FindingFor(receipt.core.trace, found);
//
// The finding on a claim serves all receipts of it: they differ in nothing but the trace that they name.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/hash/digest.h"
#include "base/tensor.h"
#include "proof/receipt/claim_run.h"
#include "vm/plan.h"

namespace tally {

enum class Recomputation { kReproduced, kDiverged, kCannotRecompute };
std::string_view NameOf(Recomputation recomputation);  // REPRODUCED, DIVERGED, CANNOT_RECOMPUTE
std::optional<Recomputation> RecomputationOf(std::string_view name);

// A word, and why: OK for the first of each, and otherwise with a label that is part of the specification.
template <typename Word>
struct Finding {
  Word word;
  absl::Status why;
};

struct ClaimFinding {
  Finding<Recomputation> run;   // without regard to a trace
  std::optional<Digest> trace;  // if it was asked for, and the run took place and gave the claim
};

// The facts about a claim that are known before its module is planned or run: that it is of another module or
// other inputs; that its bounds, gas or status are none that a run has; that the run is refused, as the claim
// says; or that the module is beyond `limits` of the verifier. Nothing, where the claim has to be run.
std::optional<Finding<Recomputation>> FindWithoutRunning(const Claim& claim, const ClaimedModule& claimed,
                                                         std::span<const TensorView> inputs,
                                                         const ExecuteOptions& limits = {});

// Runs the claim again, unless it is decided without. `traced`: also for the trace of the run. `plan` is of
// claimed.module.
ClaimFinding RecomputeClaim(const Claim& claim, const ClaimedModule& claimed, const Plan& plan,
                            std::span<const TensorView> inputs, const ExecuteOptions& limits, bool traced);

// The finding from a run that took place and gave these results.
Finding<Recomputation> FindingFromResults(const Claim& claim, const ClaimedModule& claimed,
                                          std::span<const TensorView> inputs, std::vector<Tensor> results);

// The finding for a receipt that names this trace, or no trace. `found.trace` is there if the run took place.
Finding<Recomputation> FindingFor(const std::optional<Digest>& trace, const ClaimFinding& found);

}  // namespace tally
