// tally run: executes a module, writes its results, and signs a receipt.
#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <utility>

#include "base/hash/digest.h"
#include "base/io/file.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/choices.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/engine_options.h"
#include "cli/input_options.h"
#include "cli/json_output.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/named_values.h"
#include "cli/notes.h"
#include "cli/origin_file.h"
#include "cli/output_files.h"
#include "cli/profile/step_profile.h"
#include "cli/progress_bar.h"
#include "cli/run_inputs.h"
#include "cli/run_results.h"
#include "cli/run_signer.h"
#include "engines/cpu_flags_of.h"
#include "engines/engine.h"
#include "serializer/module_id.h"

namespace tally::cli {
namespace {

struct RunOptions {
  std::string module;
  SampleOptions inputs;
  EngineOptions engine;
  int64_t repeat = 1;         // runs; the time is their median
  bool check = false;         // each value against the references
  bool profile = false;       // report what each step of the plan takes
  std::string profile_trace;  // a file for the steps of the last run, which Perfetto shows
  ResultOptions results;
  std::string labels;  // a text file, whose lines name the elements of a row
  ReceiptOptions receipt;
  bool json = false;
};

nlohmann::ordered_json Steps(const Plan& plan) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const PlanStep& step : plan.steps()) {
    steps.push_back({{"function", step.function}, {"kernel", step.kernel}, {"notes", step.notes.names()}});
  }
  return steps;
}

void PrintForPeople(const Json& report, const std::optional<StepProfile>& profile, std::ostream& out) {
  const auto text = [&](const char* key) { return report[key].get<std::string>(); };
  const auto milliseconds = [&](const char* key) { return report[key].get<double>(); };
  const int64_t runs = report["samples"].get<int64_t>() * report["runs"].get<int64_t>();
  out << "module  " << text("module_id") << "\nengine  " << text("engine")
      << (text("level").empty() ? "" : ", " + text("level")) << "\ngas     " << report["gas"] << "\nmemory  "
      << report["memory_bytes"] << " bytes\ntime    " << milliseconds("milliseconds") << " ms";
  if (runs > 1)
    out << ", the median of " << runs << " runs; at least " << milliseconds("least_milliseconds") << " ms";
  out << "\n";
  if (!text("not_lowered").empty()) out << "slow    " << text("not_lowered") << "\n";
  if (profile) out << ProfileTable(*profile) << "\n";
  for (const Json& result : report["results"]) PrintResult(result, out);
  if (!report["receipt"].is_null()) out << "receipt " << Printable(text("receipt")) << "\n";
}

struct Runs {
  std::vector<std::vector<Tensor>> results;  // by result, then by sample
  int64_t gas = 0;                           // for each
  std::vector<double> milliseconds;          // ascending

  double least() const { return milliseconds.front(); }
  double median() const { return milliseconds[milliseconds.size() / 2]; }
};

absl::StatusOr<Runs> RunAll(const Plan& plan, RunInputs& inputs, const RunOptions& options,
                            const ExecuteOptions& how) {
  const int64_t total = inputs.count() * options.repeat;
  int64_t done = 0;
  Runs runs;
  runs.results.resize(plan.module().entry().results.size());
  ProgressBar progress("run");
  for (int64_t sample = 0; sample < inputs.count(); ++sample) {
    ASSIGN_OR_RETURN(const std::vector<Tensor> tensors, inputs.Read(sample));
    std::vector<TensorView> views;
    for (const Tensor& tensor : tensors) views.push_back(tensor.view());
    std::vector<Tensor> results;
    for (int64_t repeat = 0; repeat < options.repeat; ++repeat) {
      if (total > 1) progress.Show(done++, total);
      const auto start = std::chrono::steady_clock::now();
      auto outcome = plan.Execute(views, how);
      const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
      if (!outcome.ok()) return inputs.Explained(outcome.status());
      runs.milliseconds.push_back(time.count());
      runs.gas = outcome->gas_used;
      results = std::move(outcome->results);
    }
    inputs.Feed(results);
    for (size_t i = 0; i < results.size(); ++i) runs.results[i].push_back(std::move(results[i]));
  }
  if (total > 1) progress.Show(total, total);
  std::ranges::sort(runs.milliseconds);
  return runs;
}

// Whether the runs can be timed step by step.
absl::Status CheckProfile(const RunOptions& options, const Plan& plan) {
  const std::string name = options.profile ? "--profile" : "--profile-trace";
  if (options.engine.name != "cpu")
    return MakeError(label::option_syntax, absl::StrCat(name, " needs engine cpu: engine '",
                                                        options.engine.name, "' does not time its steps"));
  if (options.check || options.receipt.trace)
    return MakeError(
        label::option_syntax,
        absl::StrCat(name, " cannot be combined with --check or --trace, which change what runs"));
  if (plan.steps().empty())
    return MakeError(label::option_syntax,
                     absl::StrCat(name, ": the module has no steps to time, only constants"));
  return absl::OkStatus();
}

// The outcome of runs on one sample, or why they were refused.
absl::StatusOr<Outcome> OutcomeOf(const absl::StatusOr<Runs>& runs) {
  if (!runs.ok()) return runs.status();
  Outcome outcome{.results = {}, .gas_used = runs->gas};
  for (const std::vector<Tensor>& result : runs->results) outcome.results.push_back(result[0]);
  return outcome;
}

// Results go to files that the module names, so that the command line alone does not show that one would
// replace an input.
absl::Status CheckResultFiles(const RunOptions& options, const Metadata& metadata) {
  std::vector<std::string> read = {options.module};
  for (const std::string* path : {&options.labels, &options.receipt.key}) {
    if (!path->empty()) read.push_back(*path);
  }
  for (const std::string& file : options.inputs.files) {
    for (std::string& path : PathsIn(file)) read.push_back(std::move(path));
  }
  OutputFiles files(options.results.output);
  for (const ValueInfo& result : metadata.results) files.Add(result.name, {});
  for (const std::string* path : {&options.receipt.path, &options.profile_trace}) {
    if (!path->empty()) files.AddAt(*path, {});
  }
  return CheckApart(read, files.paths());
}

// Those of --labels, or those that `tally quantize` took from the model's file.
absl::StatusOr<std::vector<std::string>> LabelsFor(const RunOptions& options, const Module& module) {
  if (!options.labels.empty()) return ReadLabels(options.labels);
  if (options.results.top == 0) return std::vector<std::string>();
  ASSIGN_OR_RETURN(Notes notes, ReadNotesBeside(options.module, module));
  return std::move(notes.labels);
}

absl::Status RunModule(const RunOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const auto module, LoadValidModule(options.module));
  RETURN_IF_ERROR(CheckResultFiles(options, module->module().metadata));
  ASSIGN_OR_RETURN(const auto plan, options.engine.MakePlan(module));
  ASSIGN_OR_RETURN(RunInputs inputs, RunInputs::Open(*module, options.module, options.inputs));
  ASSIGN_OR_RETURN(const std::vector<std::string> labels, LabelsFor(options, module->module()));
  ExecuteOptions how = options.engine.limits();
  how.check = options.check;
  std::optional<RunSigner> signer;
  if (!options.receipt.path.empty()) {
    ASSIGN_OR_RETURN(RunSigner opened, RunSigner::Open(options.receipt, options.module, *module,
                                                       inputs.count(), options.repeat));
    signer.emplace(std::move(opened));
    how.root_observer = signer->observer();
  } else if (options.receipt.trace) {
    return MakeError(label::option_syntax, "--trace needs --receipt: the receipt names the trace");
  } else if (!options.receipt.store.empty()) {
    return MakeError(label::option_syntax, "--store needs --receipt: what it keeps is for its audit");
  }
  if (options.receipt.products && options.receipt.store.empty())
    return MakeError(label::option_syntax, "--products needs --store, which keeps them");
  std::optional<StepTimes> times;
  if (options.profile || !options.profile_trace.empty()) {
    RETURN_IF_ERROR(CheckProfile(options, *plan));
    times.emplace(*plan);
    how.step_observer = times->Observer();
  }
  const absl::StatusOr<Runs> outcome = RunAll(*plan, inputs, options, how);
  std::optional<std::string> receipt;
  if (signer) {
    ASSIGN_OR_RETURN(const std::vector<Tensor> tensors, inputs.Read(0));
    ASSIGN_OR_RETURN(receipt, signer->Sign(*plan, tensors, OutcomeOf(outcome), how));
  }
  if (!outcome.ok()) {
    if (receipt) RETURN_IF_ERROR(WriteFileAtomically(options.receipt.path, AsBytes(*receipt)));
    return outcome.status();
  }
  const Runs& runs = *outcome;
  OutputFiles files(options.results.output);
  if (receipt) files.AddAt(options.receipt.path, {receipt->begin(), receipt->end()});
  if (!options.profile_trace.empty()) {
    const std::string trace = TraceOfLastRun(*times, options.module);
    files.AddAt(options.profile_trace, {trace.begin(), trace.end()});
  }
  ASSIGN_OR_RETURN(const Json results,
                   AddResults(options.results, module->module().metadata, labels, runs.results, files));
  RETURN_IF_ERROR(files.Write());
  std::string level;  // the most that kernels could use
  std::optional<StepProfile> profile;
  if (options.engine.name == "cpu") {
    ASSIGN_OR_RETURN(const CpuFlags flags, CpuFlagsOf(options.engine.level));
    level = CpuLevelsOf(flags).back();
    if (options.profile) profile = ProfileOf(*times, flags, static_cast<int>(options.engine.threads));
  }
  const Json report = {{"module_id", ToHex(ModuleId(module->module()))},
                       {"prepared", inputs.prepared()},
                       {"engine", options.engine.name},
                       {"level", level},
                       {"gas", runs.gas},
                       {"memory_bytes", plan->memory_bytes()},
                       {"samples", inputs.count()},
                       {"runs", options.repeat},
                       {"milliseconds", runs.median()},
                       {"least_milliseconds", runs.least()},
                       {"kernels", plan->kernels()},
                       {"steps", Steps(*plan)},
                       {"views", plan->views()},
                       {"not_lowered", std::string(plan->lowering().message())},
                       {"results", results},
                       {"profile", profile ? ProfileToJson(*profile) : Json()},
                       {"receipt", receipt ? Json(options.receipt.path) : Json()}};
  options.json ? PrintJson(report, out) : PrintForPeople(report, profile, out);
  return absl::OkStatus();
}

}  // namespace

void AddRunCommand(CommandLine& line) {
  auto& options = line.Keep<RunOptions>();
  auto* run = line.app.add_subcommand("run", "execute a module");
  line.ReadsModule(*run, options.module);
  AddSampleOptions(line, *run, options.inputs, "--input", false);
  AddLoopOptions(*run, options.inputs);
  AddEngineOptions(*run, options.engine);
  AddLimitOptions(*run, options.engine);
  run->add_option("--repeat", options.repeat, "repeat the run N times; print the minimum and the median time")
      ->check(CLI::Range(1, 1000000));
  run->add_flag("--check", options.check,
                "compare each value with the references; slow. TALLY_CHECK=1 does so in all runs");
  run->add_flag("--profile", options.profile,
                "print the time of each step, and the least this machine allows");
  line.Writes(run->add_option("--profile-trace", options.profile_trace,
                              "write the steps of the last run to a file for ui.perfetto.dev"));
  run->add_flag("--float", options.results.floats, "write results as the floats that they stand for");
  run->add_option("--top", options.results.top, "print the N largest elements of each result row")
      ->check(CLI::Range(1, 1000));
  line.Reads(run->add_option("--labels", options.labels,
                             "text file with one label per line, for the elements of a row"));
  line.Named(run->add_option("-o,--output", options.results.output,
                             "folder for the results, one .npy file each"))
      ->required();
  line.ForMachines(*run, options.json);
  line.Calls(*run, options, RunModule);

  line.Writes(
      run->add_option("--receipt", options.receipt.path, "write a signed receipt of the run to a file"));
  line.Reads(run->add_option("--key", options.receipt.key, "private key for the receipt (tally keygen)"));
  run->add_option("--nonce", options.receipt.nonce,
                  "64 hexadecimal digits that the requester drew, for the receipt");
  run->add_option("--store", options.receipt.store,
                  "keep module and inputs in a folder, where an audit of the receipt finds them");
  run->add_flag("--products", options.receipt.products,
                "keep the products of the run in --store too, by which an audit is cheaper");
  run->add_flag("--trace", options.receipt.trace,
                "commit to every step of the run; the receipt names the trace");
}

}  // namespace tally::cli
