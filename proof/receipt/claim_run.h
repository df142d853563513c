// The claim of a run.
//
//   const ClaimedModule claimed(*module);  // once for each module
//   const absl::StatusOr<Outcome> outcome = plan->Execute(inputs, options);
//   ASSIGN_OR_RETURN(const Claim claim, ClaimOfRun(claimed, inputs, outcome, options));
#pragma once

#include <span>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "base/tensor.h"
#include "proof/receipt/claim.h"
#include "vm/plan.h"
#include "vm/valid_module.h"

namespace tally {

// Shared by all claims of a module. Computing it reads the module's constants once.
struct ClaimedModule {
  explicit ClaimedModule(const ValidModule& m);

  const ValidModule& module;  // outlives this
  Digest id;
  Digest bounds;
};

// The digests of values in any storage, and their io-map. Equal elements have one digest: a value has the
// storage of its type where its elements are in the type's interval, and otherwise, or beyond the types, the
// narrowest that holds them.
std::vector<Digest> DigestsOf(std::span<const TensorType> types, std::span<const TensorView> values);
Digest IoMapOf(std::span<const TensorType> types, std::span<const TensorView> values);

// The digests of the inputs of a run, and of its results.
inline Digest InputsDigest(const ValidModule& module, std::span<const TensorView> inputs) {
  return IoMapOf(module.functions()[0].params, inputs);
}
inline Digest ResultsDigest(const ValidModule& module, std::span<const TensorView> results) {
  return IoMapOf(module.functions()[0].results, results);
}

// The claim of a run that took place, whose inputs have this io-map.
Claim ClaimOfResults(const ClaimedModule& claimed, const Digest& inputs, const Outcome& outcome);

// `outcome` is what plan->Execute(inputs, options) returned. Errors: the outcome's, where that is none of a
// claim (a device that failed).
absl::StatusOr<Claim> ClaimOfRun(const ClaimedModule& claimed, std::span<const TensorView> inputs,
                                 const absl::StatusOr<Outcome>& outcome, const ExecuteOptions& options);

}  // namespace tally
