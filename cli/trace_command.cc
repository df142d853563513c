#include <span>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/proof_commands.h"
#include "cli/run_folder.h"
#include "cli/run_inputs.h"
#include "cli/summary.h"
#include "engines/engine.h"
#include "proof/receipt/claim_run.h"
#include "proof/trace/trace.h"

namespace tally::cli {
namespace {

// Writes the file that is asked for, and says what the run has come to.
absl::Status Report(const TraceOptions& options, const ValidModule& module, const TraceFile& file,
                    std::ostream& out) {
  Summary summary;
  summary.AddModule(module);
  summary.Add("claim", "claim_id", ToHex(file.claim));
  summary.Add("trace", "trace", ToHex(TraceDigest(file.trace)));
  summary.Add("values", "values", file.trace.size());
  if (!options.record.empty()) summary.Add("record", "record", options.record);
  if (!options.output.empty()) {
    const std::vector<uint8_t> bytes = EncodeTraceFile(file);
    RETURN_IF_ERROR(WriteFileAtomically(options.output, bytes));
    summary.Wrote(options.output, bytes.size());
  }
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace

absl::Status TraceModule(const TraceOptions& options, std::ostream& out) {
  if (options.output.empty() && options.record.empty())
    return MakeError(label::option_syntax, "--output or --record: a trace has to go somewhere");
  ASSIGN_OR_RETURN(const auto module, LoadValidModule(options.module));
  ASSIGN_OR_RETURN(
      const auto plan,
      MakePlan(options.engine, module, {.threads = static_cast<int>(options.threads), .arch = options.arch}));
  ASSIGN_OR_RETURN(const RunInputs inputs, RunInputs::Open(*module, options.module, options.inputs));
  if (inputs.count() != 1)
    return MakeError(label::option_syntax, "--input: a trace is of one sample of each input");
  ASSIGN_OR_RETURN(const std::vector<Tensor> tensors, inputs.Read(0));
  std::vector<TensorView> views;
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  const ClaimedModule claimed(*module);
  if (!options.record.empty()) {
    const ExecuteOptions limits = {.gas_limit = options.gas_limit,
                                   .memory_limit_bytes = options.memory_limit};
    const absl::StatusOr<RecordedRun> run = RecordedRun::Of(claimed, *plan, views, limits);
    if (!run.ok()) {
      // Who has claimed that it ran is convicted from what it is refused for.
      const std::string label = ErrorLabel(run.status());
      if (IsClaimStatus(label) && !IsLimitStatus(label)) {
        RETURN_IF_ERROR(WriteRunFolder(options.record, *module, RecordedRun::Refused(claimed, views, label)));
      }
      return inputs.Explained(run.status());
    }
    RETURN_IF_ERROR(WriteRunFolder(options.record, *module, *run));
    return Report(options, *module, {ClaimId(run->claim), run->trace}, out);
  }
  TraceFile file;
  const ExecuteOptions how = {.gas_limit = options.gas_limit,
                              .memory_limit_bytes = options.memory_limit,
                              .root_observer = RecordInto(file.trace)};
  const absl::StatusOr<Outcome> outcome = plan->Execute(views, how);
  if (!outcome.ok()) return inputs.Explained(outcome.status());
  ASSIGN_OR_RETURN(const Claim claim, ClaimOfRun(claimed, views, outcome, how));
  file.claim = ClaimId(claim);
  return Report(options, *module, file, out);
}

}  // namespace tally::cli
