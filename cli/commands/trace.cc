// tally trace: a run with a commitment to each of its steps.
#include "proof/trace/trace.h"

#include <span>
#include <vector>

#include "base/error.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/engine_options.h"
#include "cli/input_options.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/run_folder.h"
#include "cli/run_inputs.h"
#include "cli/summary.h"
#include "engines/engine.h"
#include "proof/receipt/claim_run.h"

namespace tally::cli {
namespace {

struct TraceOptions {
  std::string module;
  SampleOptions inputs;
  EngineOptions engine;
  std::string output;  // file; none where it is empty
  std::string record;  // folder; none where it is empty
  bool json = false;
};

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

absl::Status TraceModule(const TraceOptions& options, std::ostream& out) {
  if (options.output.empty() && options.record.empty())
    return MakeError(label::option_syntax, "--output or --record: a trace has to go somewhere");
  ASSIGN_OR_RETURN(const auto module, LoadValidModule(options.module));
  ASSIGN_OR_RETURN(const auto plan, options.engine.MakePlan(module));
  ASSIGN_OR_RETURN(const RunInputs inputs, RunInputs::Open(*module, options.module, options.inputs));
  if (inputs.count() != 1)
    return MakeError(label::option_syntax, "--input: a trace is of one sample of each input");
  ASSIGN_OR_RETURN(const std::vector<Tensor> tensors, inputs.Read(0));
  std::vector<TensorView> views;
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  const ClaimedModule claimed(*module);
  if (!options.record.empty()) {
    const ExecuteOptions limits = options.engine.limits();
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
  ExecuteOptions how = options.engine.limits();
  how.root_observer = RecordInto(file.trace);
  const absl::StatusOr<Outcome> outcome = plan->Execute(views, how);
  if (!outcome.ok()) return inputs.Explained(outcome.status());
  ASSIGN_OR_RETURN(const Claim claim, ClaimOfRun(claimed, views, outcome, how));
  file.claim = ClaimId(claim);
  return Report(options, *module, file, out);
}

}  // namespace

void AddTraceCommand(CommandLine& line) {
  auto& options = line.Keep<TraceOptions>();
  auto* trace = line.app.add_subcommand("trace", "run a module once, and commit to every step of the run");
  line.ReadsModule(*trace, options.module);
  AddSampleOptions(line, *trace, options.inputs, "--input", false);
  AddEngineOptions(*trace, options.engine);
  AddLimitOptions(*trace, options.engine);
  line.Writes(trace->add_option("-o,--output", options.output, "file for the trace"));
  line.WritesNamed(trace->add_option("--record", options.record,
                                     "folder for the whole run, as tally certify and dispute need it"));
  line.ForMachines(*trace, options.json);
  line.Calls(*trace, options, TraceModule);
}

}  // namespace tally::cli
