#include <algorithm>
#include <chrono>
#include <map>
#include <span>

#include "base/digest.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/choices.h"
#include "cli/commands.h"
#include "cli/json_output.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/output_files.h"
#include "cli/progress_bar.h"
#include "cli/tensor_files.h"
#include "quant/lower/quantized_tensor.h"
#include "serializer/module_id.h"
#include "serializer/tensor_digest.h"
#include "vm/engine.h"

namespace tally::cli {
namespace {

// The inputs in the order of the parameters.
absl::StatusOr<std::vector<Tensor>> ReadInputs(const ValidModule& module,
                                               const std::vector<std::string>& options) {
  std::map<std::string, std::string> files;
  for (const std::string& option : options) {
    ASSIGN_OR_RETURN(auto name_and_file, SplitOption(option));
    if (!files.insert(name_and_file).second) {
      return MakeError(label::input_name, absl::StrCat("input '", name_and_file.first, "' is given twice"));
    }
  }
  std::vector<Tensor> inputs;
  std::string names;
  for (const ValueInfo& info : module.module().metadata.params) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", info.name);
    const auto file = files.find(info.name);
    if (file == files.end())
      return MakeError(label::input_name, absl::StrCat("no --input for '", info.name, "'"));
    ASSIGN_OR_RETURN(Tensor tensor, ReadInput(file->second, info, module.entry().params[inputs.size()]));
    inputs.push_back(std::move(tensor));
    files.erase(file);
  }
  if (!files.empty()) {
    return MakeError(label::input_name, absl::StrCat("the module has no input '", files.begin()->first,
                                                     "'; its inputs are: ", names));
  }
  return inputs;
}

nlohmann::ordered_json Steps(const Plan& plan) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const PlanStep& step : plan.steps()) {
    steps.push_back({{"function", step.function}, {"kernel", step.kernel}, {"notes", step.notes.names()}});
  }
  return steps;
}

// Of the rows of a result.
Json ChoicesOf(std::span<const double> reals, const Shape& shape, int64_t top,
               const std::vector<std::string>& labels) {
  const auto length = static_cast<size_t>(shape.rank() == 0 ? 1 : shape[shape.rank() - 1]);
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

// A file for each result, and what the report says of it.
absl::StatusOr<Json> WriteResults(const RunOptions& options, const Metadata& metadata,
                                  const std::vector<std::string>& labels, std::span<const Tensor> tensors) {
  OutputFiles files(options.output);
  Json results = Json::array();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i];
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
                       {"file_type", as_floats ? std::string_view("f32") : StorageName(tensor.storage())},
                       {"digest", ToHex(TensorDigest(tensor.view()))}});
    if (options.top > 0) results.back()["largest"] = ChoicesOf(reals, tensor.shape(), options.top, labels);
  }
  RETURN_IF_ERROR(files.Write());
  return results;
}

void PrintResult(const Json& result, std::ostream& out) {
  out << "result  " << Printable(result["name"].get<std::string>()) << " "
      << result["shape"].get<std::string>() << " " << result["storage"].get<std::string>() << "\n  digest "
      << result["digest"].get<std::string>() << "\n  file   " << Printable(result["file"].get<std::string>())
      << "\n";
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
  Outcome outcome;                   // of the last
  std::vector<double> milliseconds;  // ascending

  double least() const { return milliseconds.front(); }
  double median() const { return milliseconds[milliseconds.size() / 2]; }
};

absl::StatusOr<Runs> Repeat(const Plan& plan, std::span<const TensorView> inputs, const RunOptions& options) {
  Runs runs;
  ProgressBar progress("run");
  for (int64_t done = 0; done < options.repeat; ++done) {
    if (options.repeat > 1) progress.Show(done, options.repeat);
    const auto start = std::chrono::steady_clock::now();
    ASSIGN_OR_RETURN(runs.outcome, plan.Execute(inputs, {.gas_limit = options.gas_limit,
                                                         .memory_limit_bytes = options.memory_limit,
                                                         .check = options.check}));
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    runs.milliseconds.push_back(time.count());
  }
  if (options.repeat > 1) progress.Show(options.repeat, options.repeat);
  std::ranges::sort(runs.milliseconds);
  return runs;
}

}  // namespace

absl::Status RunModule(const RunOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const auto module, LoadValidModule(options.module));
  ASSIGN_OR_RETURN(
      const auto plan,
      MakePlan(options.engine, module, {.threads = static_cast<int>(options.threads), .arch = options.arch}));
  ASSIGN_OR_RETURN(const std::vector<Tensor> inputs, ReadInputs(*module, options.inputs));
  std::vector<TensorView> views;
  for (const Tensor& input : inputs) views.push_back(input.view());

  std::vector<std::string> labels;
  if (!options.labels.empty()) {
    ASSIGN_OR_RETURN(labels, ReadLabels(options.labels));
  }
  ASSIGN_OR_RETURN(const Runs runs, Repeat(*plan, views, options));
  const Outcome& outcome = runs.outcome;

  ASSIGN_OR_RETURN(const Json results,
                   WriteResults(options, module->module().metadata, labels, outcome.results));
  const std::string id = ToHex(ModuleId(module->module()));
  const std::string lowering = plan->lowering().ok() ? "" : std::string(plan->lowering().message());
  if (options.json) {
    const Json report = {{"module_id", id},
                         {"engine", options.engine},
                         {"gas", outcome.gas_used},
                         {"memory_bytes", plan->memory_bytes()},
                         {"runs", options.repeat},
                         {"milliseconds", runs.median()},
                         {"least_milliseconds", runs.least()},
                         {"kernels", plan->kernels()},
                         {"steps", Steps(*plan)},
                         {"views", plan->views()},
                         {"not_lowered", lowering},
                         {"results", results}};
    PrintJson(report, out);
    return absl::OkStatus();
  }
  out << "module  " << id << "\nengine  " << options.engine << "\ngas     " << outcome.gas_used
      << "\nmemory  " << plan->memory_bytes() << " bytes\ntime    " << runs.median() << " ms";
  if (options.repeat > 1) {
    out << ", the median of " << options.repeat << " runs; at least " << runs.least() << " ms";
  }
  out << "\n";
  if (!lowering.empty()) out << "slow    " << lowering << "\n";
  for (const Json& result : results) PrintResult(result, out);
  return absl::OkStatus();
}

}  // namespace tally::cli
