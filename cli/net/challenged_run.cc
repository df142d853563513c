#include "cli/net/challenged_run.h"

#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "cli/load.h"
#include "cli/run_inputs.h"
#include "engines/engine.h"
#include "proof/labels.h"

namespace tally::cli {

absl::StatusOr<ChallengedRun> RunForClaim(const std::string& module, const SampleOptions& inputs,
                                          const Claim& claim) {
  ChallengedRun challenged;
  ASSIGN_OR_RETURN(challenged.module, LoadValidModule(module));
  challenged.claimed = std::make_unique<const ClaimedModule>(*challenged.module);
  if (challenged.claimed->id != claim.module)
    return MakeError(label::claim_module, "the module at hand is not the one that the claim names");
  ASSIGN_OR_RETURN(const RunInputs read, RunInputs::Open(*challenged.module, module, inputs));
  ASSIGN_OR_RETURN(const std::vector<Tensor> tensors, read.Read(0));
  std::vector<TensorView> views;
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  if (InputsDigest(*challenged.module, views) != claim.inputs)
    return MakeError(label::claim_inputs, "the inputs at hand are not those that the claim names");
  ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", challenged.module));
  ASSIGN_OR_RETURN(challenged.run, RecordedRun::Of(*challenged.claimed, *plan, views));
  return challenged;
}

}  // namespace tally::cli
