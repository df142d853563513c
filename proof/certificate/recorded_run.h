// A run with all values that its trace commits to: what a party to a dispute has.
//
//   ASSIGN_OR_RETURN(const RecordedRun run, RecordedRun::Of(claimed, *plan, inputs));
//   run.values[i];  // that of run.trace[i]
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "proof/receipt/claim_run.h"
#include "proof/trace/trace.h"
#include "vm/plan.h"

namespace tally {

struct RecordedRun {
  Claim claim;
  std::vector<Digest> input_digests, result_digests;  // the io-maps of the claim
  std::vector<Tensor> inputs, results;                // in the storages that the digests are of
  Trace trace;
  std::vector<Tensor> values;  // by entry

  // Errors: those of a run.
  static absl::StatusOr<RecordedRun> Of(const ClaimedModule& claimed, const Plan& plan,
                                        std::span<const TensorView> inputs,
                                        const ExecuteOptions& limits = {});

  // A run that was refused for its inputs, by that label: it has nothing but them. A claim that it ran is
  // false.
  static RecordedRun Refused(const ClaimedModule& claimed, std::span<const TensorView> inputs,
                             std::string_view status);

  // The digests of the tensors as they are, and of the claim: for who has put other tensors there.
  void CommitToTensors();
};

}  // namespace tally
