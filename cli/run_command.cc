#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/choices.h"
#include "cli/commands.h"
#include "cli/json_output.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/named_values.h"
#include "cli/notes.h"
#include "cli/origin_file.h"
#include "cli/output_files.h"
#include "cli/profile/step_profile.h"
#include "cli/progress_bar.h"
#include "cli/receipt_file.h"
#include "cli/run_inputs.h"
#include "cli/tensor_files.h"
#include "engines/cpu_flags_of.h"
#include "engines/engine.h"
#include "proof/trace/trace.h"
#include "quant/grid/quantized_tensor.h"
#include "serializer/module_id.h"
#include "serializer/tensor_digest.h"

namespace tally::cli {
namespace {

nlohmann::ordered_json Steps(const Plan& plan) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const PlanStep& step : plan.steps()) {
    steps.push_back({{"function", step.function}, {"kernel", step.kernel}, {"notes", step.notes.names()}});
  }
  return steps;
}

// The largest choices of the rows of a result.
Json ChoicesOf(std::span<const double> reals, const Shape& shape, int64_t top,
               const std::vector<std::string>& labels) {
  const auto length = static_cast<size_t>(quant::RowLength(shape.dims()));
  Json rows = Json::array();
  for (size_t first = 0; first < reals.size(); first += length) {
    Json row = Json::array();
    for (const NamedChoice& choice : LargestOf(reals.subspan(first, length), top, labels)) {
      row.push_back({{"place", choice.place}, {"name", choice.name}, {"value", choice.value}});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// The results of runs on several samples as one.
absl::StatusOr<Tensor> Stacked(std::span<const Tensor> runs) {
  if (runs.size() == 1) return runs[0];
  ASSIGN_OR_RETURN(const Shape shape, StackedShape(runs[0].shape(), runs.size()));
  Tensor stacked(shape, runs[0].storage());
  uint8_t* next = stacked.mutable_bytes().data();
  for (const Tensor& run : runs) next = std::ranges::copy(run.bytes(), next).out;
  return stacked;
}

// The digests of one run, or a list of those of several.
void AddDigests(std::span<const Tensor> runs, Json& result) {
  if (runs.size() == 1) {
    result["digest"] = ToHex(ValueDigest(runs[0].view()));
    return;
  }
  for (const Tensor& run : runs) result["digests"].push_back(ToHex(ValueDigest(run.view())));
}

// A file for each result, and what the report says of it. `runs` are by result and then by sample.
absl::StatusOr<Json> WriteResults(const RunOptions& options, const Metadata& metadata,
                                  const std::vector<std::string>& labels,
                                  const std::vector<std::vector<Tensor>>& runs,
                                  const std::optional<std::string>& receipt, const std::string& trace) {
  OutputFiles files(options.output);
  if (receipt) files.AddAt(options.receipt.path, {receipt->begin(), receipt->end()});
  if (!options.profile_trace.empty()) files.AddAt(options.profile_trace, {trace.begin(), trace.end()});
  Json results = Json::array();
  for (size_t i = 0; i < runs.size(); ++i) {
    ASSIGN_OR_RETURN(const Tensor tensor, Stacked(runs[i]));
    const auto& [name, quantization] = metadata.results[i];
    const auto grid = quantization ? quant::FromMetadata(*quantization) : quant::QuantizedType{};
    const bool as_floats = options.floats && quantization.has_value();
    std::vector<double> reals;
    if (as_floats || options.top > 0) reals = quant::DequantizeTensor(tensor.view(), grid);
    ASSIGN_OR_RETURN(std::vector<uint8_t> bytes,
                     as_floats ? ToFloatNpy(tensor.shape(), reals) : ToNpy(tensor));
    results.push_back({{"name", name},
                       {"file", files.Add(name, std::move(bytes))},
                       {"shape", tensor.shape().ToString()},
                       {"storage", StorageName(tensor.storage())},
                       {"file_type", as_floats ? std::string_view("f32") : StorageName(tensor.storage())}});
    AddDigests(runs[i], results.back());
    if (options.top > 0) results.back()["largest"] = ChoicesOf(reals, tensor.shape(), options.top, labels);
  }
  RETURN_IF_ERROR(files.Write());
  return results;
}

void PrintResult(const Json& result, std::ostream& out) {
  out << "result  " << Printable(result["name"].get<std::string>()) << " "
      << result["shape"].get<std::string>() << " " << result["storage"].get<std::string>() << "\n";
  for (const Json& digest : result.value("digests", Json::array({result.value("digest", Json())})))
    out << "  digest " << digest.get<std::string>() << "\n";
  out << "  file   " << Printable(result["file"].get<std::string>()) << "\n";
  for (const Json& row : result.value("largest", Json::array())) {
    const char* separator = "  largest";
    for (const Json& choice : row) {
      out << separator << " " << Printable(choice["name"].get<std::string>()) << " "
          << choice["value"].get<double>();
      separator = ",";
    }
    out << "\n";
  }
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
  if (options.engine != "cpu")
    return MakeError(label::option_syntax,
                     absl::StrCat(name, ": engine '", options.engine, "' does not time its steps; cpu does"));
  if (options.check || options.receipt.trace)
    return MakeError(label::option_syntax,
                     absl::StrCat(name, ": it is of runs as users have them, without --check and --trace"));
  if (plan.steps().empty())
    return MakeError(label::option_syntax, absl::StrCat(name, ": the module has no step, only constants"));
  return absl::OkStatus();
}

// The outcome of runs on one sample, or why they were refused.
absl::StatusOr<Outcome> OutcomeOf(const absl::StatusOr<Runs>& runs) {
  if (!runs.ok()) return runs.status();
  Outcome outcome{.results = {}, .gas_used = runs->gas};
  for (const std::vector<Tensor>& result : runs->results) outcome.results.push_back(result[0]);
  return outcome;
}

// The receipt of the one run that was asked for, whether it took place or was refused.
class RunSigner {
 public:
  // Reads the key before anything runs. Errors: option_syntax, those of ReadSigningKey.
  static absl::StatusOr<RunSigner> Open(const RunOptions& options, const ValidModule& module,
                                        int64_t samples) {
    const ReceiptOptions& receipt = options.receipt;
    if (receipt.key.empty())
      return MakeError(label::option_syntax, "--receipt: --key names the private key that signs it");
    if (samples != 1) return MakeError(label::option_syntax, "--receipt: it is of one sample of each input");
    if (receipt.trace && options.repeat != 1)
      return MakeError(label::option_syntax, "--trace: it is of one run, and --repeat asks for several");
    ASSIGN_OR_RETURN(SigningKey key, ReadSigningKey(receipt.key));
    RunSigner signer(module, std::move(key), receipt.trace);
    ASSIGN_OR_RETURN(signer.core_.nonce, ParseNonce(receipt.nonce));
    ASSIGN_OR_RETURN(const auto origin, ReadOriginBeside(options.module, signer.claimed_.id));
    if (origin) signer.core_.origin = OriginDigest(*origin);
    return signer;
  }

  // For the run: nothing, unless the receipt is to name its trace.
  RootObserver observer() { return traces_ ? RecordInto(trace_) : nullptr; }

  absl::StatusOr<std::string> Sign(const RunInputs& inputs, const ExecuteOptions& how,
                                   const absl::StatusOr<Runs>& runs) const {
    ASSIGN_OR_RETURN(const std::vector<Tensor> tensors, inputs.Read(0));
    ReceiptCore core = core_;
    if (traces_ && runs.ok()) core.trace = TraceDigest(trace_);
    return SignRun(claimed_, tensors, OutcomeOf(runs), how, key_, core);
  }

 private:
  RunSigner(const ValidModule& module, SigningKey key, bool traces)
      : claimed_(module), key_(std::move(key)), traces_(traces) {}

  ClaimedModule claimed_;
  SigningKey key_;
  bool traces_;
  ReceiptCore core_;  // what is known before the run
  Trace trace_;
};

}  // namespace

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
  OutputFiles files(options.output);
  for (const ValueInfo& result : metadata.results) files.Add(result.name, {});
  for (const std::string* path : {&options.receipt.path, &options.profile_trace}) {
    if (!path->empty()) files.AddAt(*path, {});
  }
  return CheckApart(read, files.paths());
}

// Those of --labels, or those that `tally quantize` took from the model's file.
absl::StatusOr<std::vector<std::string>> LabelsFor(const RunOptions& options, const Module& module) {
  if (!options.labels.empty()) return ReadLabels(options.labels);
  if (options.top == 0) return std::vector<std::string>();
  ASSIGN_OR_RETURN(Notes notes, ReadNotesBeside(options.module, module));
  return std::move(notes.labels);
}

absl::Status RunModule(const RunOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const auto module, LoadValidModule(options.module));
  RETURN_IF_ERROR(CheckResultFiles(options, module->module().metadata));
  ASSIGN_OR_RETURN(
      const auto plan,
      MakePlan(options.engine, module, {.threads = static_cast<int>(options.threads), .arch = options.arch}));
  ASSIGN_OR_RETURN(RunInputs inputs, RunInputs::Open(*module, options.module, options.inputs));
  ASSIGN_OR_RETURN(const std::vector<std::string> labels, LabelsFor(options, module->module()));
  ExecuteOptions how = {
      .gas_limit = options.gas_limit, .memory_limit_bytes = options.memory_limit, .check = options.check};
  std::optional<RunSigner> signer;
  if (!options.receipt.path.empty()) {
    ASSIGN_OR_RETURN(RunSigner opened, RunSigner::Open(options, *module, inputs.count()));
    signer.emplace(std::move(opened));
    how.root_observer = signer->observer();
  } else if (options.receipt.trace) {
    return MakeError(label::option_syntax, "--trace: a receipt names it, and --receipt asks for none");
  }
  std::optional<StepTimes> times;
  if (options.profile || !options.profile_trace.empty()) {
    RETURN_IF_ERROR(CheckProfile(options, *plan));
    times.emplace(*plan);
    how.step_observer = times->Observer();
  }
  const absl::StatusOr<Runs> outcome = RunAll(*plan, inputs, options, how);
  std::optional<std::string> receipt;
  if (signer) {
    ASSIGN_OR_RETURN(receipt, signer->Sign(inputs, how, outcome));
  }
  if (!outcome.ok()) {
    if (receipt) RETURN_IF_ERROR(WriteFileAtomically(options.receipt.path, AsBytes(*receipt)));
    return outcome.status();
  }
  const Runs& runs = *outcome;
  ASSIGN_OR_RETURN(const Json results,
                   WriteResults(options, module->module().metadata, labels, runs.results, receipt,
                                times ? TraceOfLastRun(*times, options.module) : ""));
  const std::string id = ToHex(ModuleId(module->module()));
  std::string level;  // the most that kernels could use
  std::optional<StepProfile> profile;
  if (options.engine == "cpu") {
    ASSIGN_OR_RETURN(const CpuFlags flags, CpuFlagsOf(options.arch));
    level = CpuLevelsOf(flags).back();
    if (options.profile) profile = ProfileOf(*times, flags, static_cast<int>(options.threads));
  }
  const std::string lowering = plan->lowering().ok() ? "" : std::string(plan->lowering().message());
  if (options.json) {
    const Json report = {{"module_id", id},
                         {"prepared", inputs.prepared()},
                         {"engine", options.engine},
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
                         {"not_lowered", lowering},
                         {"results", results},
                         {"profile", profile ? ProfileToJson(*profile) : Json()},
                         {"receipt", receipt ? Json(options.receipt.path) : Json()}};
    PrintJson(report, out);
    return absl::OkStatus();
  }
  out << "module  " << id << "\nengine  " << options.engine << (level.empty() ? "" : ", " + level)
      << "\ngas     " << runs.gas << "\nmemory  " << plan->memory_bytes() << " bytes\ntime    "
      << runs.median() << " ms";
  if (runs.milliseconds.size() > 1) {
    out << ", the median of " << runs.milliseconds.size() << " runs; at least " << runs.least() << " ms";
  }
  out << "\n";
  if (!lowering.empty()) out << "slow    " << lowering << "\n";
  if (profile) out << ProfileTable(*profile) << "\n";
  for (const Json& result : results) PrintResult(result, out);
  if (receipt) out << "receipt " << Printable(options.receipt.path) << "\n";
  return absl::OkStatus();
}

}  // namespace tally::cli
