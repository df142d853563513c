#include "proof/verify/recompute_claim.h"

#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "proof/trace/trace.h"
#include "vm/labels.h"

namespace tally {
namespace {

// The limits under which the claim's run took place, as far as they made a difference.
ExecuteOptions LimitsOf(const Claim& claim) {
  ExecuteOptions options;
  if (claim.limit && *claim.limit <= static_cast<uint64_t>(options.gas_limit)) {
    const bool gas = claim.status == label::gas_limit.name();
    (gas ? options.gas_limit : options.memory_limit_bytes) = static_cast<int64_t>(*claim.limit);
  }
  return options;
}

Finding<Recomputation> Cannot(absl::Status why) { return {Recomputation::kCannotRecompute, std::move(why)}; }

Finding<Recomputation> Diverged(Label label, std::string_view message) {
  return {Recomputation::kDiverged, MakeError(label, message)};
}

Finding<Recomputation> ComparedClaims(const Claim& claim, const absl::StatusOr<Claim>& mine) {
  if (!mine.ok()) return Cannot(mine.status());
  if (ClaimId(*mine) == ClaimId(claim)) return {Recomputation::kReproduced, absl::OkStatus()};
  return Diverged(label::claim_diverged, absl::StrCat("the run gives claim ", ToHex(ClaimId(*mine)),
                                                      " with status ", mine->status, ", the receipt is for ",
                                                      ToHex(ClaimId(claim)), " with status ", claim.status));
}

}  // namespace

std::string_view NameOf(Recomputation recomputation) {
  switch (recomputation) {
    case Recomputation::kReproduced: return "REPRODUCED";
    case Recomputation::kDiverged: return "DIVERGED";
    case Recomputation::kCannotRecompute: break;
  }
  return "CANNOT_RECOMPUTE";
}

std::optional<Recomputation> RecomputationOf(std::string_view name) {
  for (const Recomputation word :
       {Recomputation::kReproduced, Recomputation::kDiverged, Recomputation::kCannotRecompute}) {
    if (NameOf(word) == name) return word;
  }
  return std::nullopt;
}

std::optional<Finding<Recomputation>> FindWithoutRunning(const Claim& claim, const ClaimedModule& claimed,
                                                         std::span<const TensorView> inputs,
                                                         const ExecuteOptions& limits) {
  if (claimed.id != claim.module) {
    return Cannot(MakeError(label::claim_module, absl::StrCat("the module at hand is ", ToHex(claimed.id))));
  }
  const ValidModule& module = claimed.module;
  if (InputsDigest(module, inputs) != claim.inputs) {
    return Cannot(MakeError(label::claim_inputs, "the inputs at hand are not those of the claim"));
  }
  if (claimed.bounds != claim.bounds) {
    return Diverged(label::claim_diverged,
                    absl::StrCat("the bounds of the module have digest ", ToHex(claimed.bounds),
                                 ", the receipt names ", ToHex(claim.bounds)));
  }
  const ExecuteOptions options = LimitsOf(claim);
  const absl::Status refusal = CheckRun(module, inputs, options);
  if (!refusal.ok()) return ComparedClaims(claim, ClaimOfRun(claimed, inputs, refusal, options));
  if (claim.status != kRan || claim.gas != static_cast<uint64_t>(module.gas())) {
    return Diverged(label::claim_diverged, absl::StrCat("the run takes place, for ", module.gas(),
                                                        " gas; the receipt is for status ", claim.status,
                                                        " and ", claim.gas, " gas"));
  }
  const absl::Status beyond = CheckRun(module, inputs, limits);
  if (!beyond.ok()) return Cannot(beyond);
  return std::nullopt;
}

ClaimFinding RecomputeClaim(const Claim& claim, const ClaimedModule& claimed, const Plan& plan,
                            std::span<const TensorView> inputs, const ExecuteOptions& limits, bool traced) {
  if (auto found = FindWithoutRunning(claim, claimed, inputs, limits)) return {*std::move(found), {}};
  Trace trace;
  ExecuteOptions options;
  if (traced) options.root_observer = RecordInto(trace);
  ClaimFinding found = {ComparedClaims(claim, ClaimOfRun(claimed, inputs, plan.Execute(inputs, options), {})),
                        {}};
  if (traced && found.run.word == Recomputation::kReproduced) found.trace = TraceDigest(trace);
  return found;
}

Finding<Recomputation> FindingFromResults(const Claim& claim, const ClaimedModule& claimed,
                                          std::span<const TensorView> inputs, std::vector<Tensor> results) {
  const Outcome outcome = {.results = std::move(results), .gas_used = claimed.module.gas()};
  return ComparedClaims(claim, ClaimOfRun(claimed, inputs, outcome, {}));
}

Finding<Recomputation> FindingFor(const std::optional<Digest>& trace, const ClaimFinding& found) {
  if (!trace || found.run.word != Recomputation::kReproduced || trace == found.trace) return found.run;
  const std::string mine = found.trace ? ToHex(*found.trace) : "none, as it is refused";
  return Diverged(label::trace_diverged,
                  absl::StrCat("the trace of the run is ", mine, ", the receipt names ", ToHex(*trace)));
}

}  // namespace tally
