// The run that a challenger checks a claim with.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/input_options.h"
#include "proof/certificate/recorded_run.h"
#include "proof/receipt/claim_run.h"

namespace tally::cli {

struct ChallengedRun {
  std::shared_ptr<const ValidModule> module;
  std::unique_ptr<const ClaimedModule> claimed;
  RecordedRun run;
};

// Runs the module of a file on the inputs of the options. Errors: claim_module, claim_inputs, where they are
// not those that the claim names; those of loading and running.
absl::StatusOr<ChallengedRun> RunForClaim(const std::string& module, const SampleOptions& inputs,
                                          const Claim& claim);

}  // namespace tally::cli
