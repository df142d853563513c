// tally judge: one element of a run, judged by the references.
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/engine_options.h"
#include "cli/input_options.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/run_inputs.h"
#include "cli/summary.h"
#include "proof/trace/judged_run.h"

namespace tally::cli {
namespace {

struct JudgeElementOptions {
  std::string module;
  SampleOptions inputs;
  std::string engine = "cpu";
  int64_t value = 0;    // its number in the entry function
  int64_t element = 0;  // row-major
  bool json = false;
};

// The value of the entry with that number. Error option_syntax, where the trace has none.
absl::StatusOr<ValuePlace> CommittedValue(const JudgedRun& run, int64_t id) {
  std::string others;
  for (const auto& [place, value] : run.values()) {
    if (!place.path.empty()) continue;
    if (place.id == id) return place;
    absl::StrAppend(&others, others.empty() ? "" : ", ", place.id);
  }
  return MakeError(label::option_syntax,
                   absl::StrCat("--value: a trace of the module commits to no value ", id,
                                " of the entry, but to ", others.empty() ? "none" : others));
}

absl::Status JudgeElement(const JudgeElementOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const auto module, LoadValidModule(options.module));
  ASSIGN_OR_RETURN(const RunInputs inputs, RunInputs::Open(*module, options.module, options.inputs));
  if (inputs.count() != 1)
    return MakeError(label::option_syntax, "--input: an element is of a run of one sample of each input");
  ASSIGN_OR_RETURN(std::vector<Tensor> tensors, inputs.Read(0));
  const auto run = JudgedRun::Of(options.engine, module, std::move(tensors));
  if (!run.ok()) return inputs.Explained(run.status());
  ASSIGN_OR_RETURN(const ValuePlace place, CommittedValue(**run, options.value));
  const Shape& shape = (*run)->values().at(place).shape();
  if (options.element >= shape.num_elements()) {
    return MakeError(label::option_syntax, absl::StrCat("--element: a value of shape ", shape.ToString(),
                                                        " has no element ", options.element));
  }
  ASSIGN_OR_RETURN(const JudgedElement judged, (*run)->Judge(place, options.element));
  Summary summary;
  summary.AddModule(*module);
  summary.Add("element", "element", judged.value);
  summary.Say("judged", judged.columns > 0 ? "by the steps of its expansion" : "from what it reads",
              "columns", judged.columns);
  summary.Add("steps", "integers", judged.integers, absl::StrCat("integers in ", judged.columns, " columns"));
  summary.Add("leaves", "leaves", judged.most.leaves);
  summary.Add("opened", "leaf_bytes", judged.most.bytes, "bytes of leaves at most in one judgement");
  summary.Add("paths", "path_bytes", judged.most.path_bytes, "bytes");
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace

void AddJudgeCommand(CommandLine& line) {
  auto& options = line.Keep<JudgeElementOptions>();
  auto* judge = line.app.add_subcommand("judge", "run a module once, and judge one element of the run");
  line.ReadsModule(*judge, options.module);
  AddSampleOptions(line, *judge, options.inputs, "--input", false);
  AddEngine(*judge, options.engine);
  judge->add_option("--value", options.value, "number of a value of the entry, as tally dump prints it")
      ->required()
      ->check(CLI::NonNegativeNumber);
  judge->add_option("--element", options.element, "index of its element, row-major")
      ->required()
      ->check(CLI::NonNegativeNumber);
  line.ForMachines(*judge, options.json);
  line.Calls(*judge, options, JudgeElement);
}

}  // namespace tally::cli
