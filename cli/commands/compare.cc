// tally compare: a module and its float network on the same samples.
#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/engine_options.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/networks/accuracy_report.h"
#include "cli/networks/load_network.h"
#include "cli/networks/network_options.h"
#include "cli/networks/network_samples.h"
#include "cli/networks/right_choices.h"
#include "cli/output_files.h"
#include "cli/progress_bar.h"
#include "cli/tensor_files.h"
#include "engines/engine.h"

namespace tally::cli {
namespace {

struct CompareOptions {
  NetworkFile network;
  std::string module;         // made of it by quantize
  ServedInputOptions inputs;  // as quantize was given
  SampleOptions samples;
  LabelOptions right;
  // Rows of the first output are logits: report how surprising the labels are to them.
  bool perplexity = false;
  EngineOptions engine;
  std::optional<double> min_sqnr;       // dB, of every output
  std::optional<double> min_agreement;  // a share, of every output
  std::string output;                   // folder for the results of both; none where it is empty
  bool json = false;
};

void AddPerplexity(std::string_view name, std::string_view key, const quant::LogLoss& loss, const char* whose,
                   Summary& summary) {
  char text[64];
  std::snprintf(text, sizeof text, "%.4f %s", loss.perplexity(), whose);
  summary.Say(name, text, key, loss.perplexity());
}

void AddRight(const CompareOptions& options, const quant::Accuracy& accuracy, Summary& summary) {
  AddRightChoices(accuracy, summary);
  if (!options.perplexity) return;
  AddPerplexity("perplexity", "float_perplexity", accuracy.expected_loss, "of the float network", summary);
  AddPerplexity("", "module_perplexity", accuracy.loss, "of the module", summary);
}

// The results of both for all samples, as reals, by output.
struct Results {
  std::vector<std::vector<double>> expected, got;

  explicit Results(size_t outputs) : expected(outputs), got(outputs) {}

  void Add(size_t output, std::span<const double> wanted, std::span<const double> have) {
    expected[output].insert(expected[output].end(), wanted.begin(), wanted.end());
    got[output].insert(got[output].end(), have.begin(), have.end());
  }

  absl::Status Write(const std::string& folder, const ValidModule& module, int64_t samples,
                     const quant::Accuracy& accuracy) const {
    OutputFiles files(folder);
    for (size_t i = 0; i < expected.size(); ++i) {
      const Shape& one = module.types()[module.entry().results[i]].shape;
      ASSIGN_OR_RETURN(const Shape shape, StackedShape(one, static_cast<size_t>(samples)));
      for (const auto& [whose, reals] : {std::pair(".float", &expected[i]), {".module", &got[i]}}) {
        ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, ToFloatNpy(shape, *reals));
        files.Add(accuracy.outputs[i].name + whose, std::move(bytes));
      }
    }
    return files.Write();
  }
};

absl::Status CheckThresholds(const CompareOptions& options, const quant::Accuracy& accuracy) {
  double agreement = 1;
  for (const quant::OutputAccuracy& output : accuracy.outputs) {
    agreement = std::min(agreement, output.agreement());
  }
  if (options.min_sqnr.has_value() && !(accuracy.worst_sqnr_db() >= *options.min_sqnr)) {
    return MakeError(label::accuracy_low, absl::StrCat("an output has ", accuracy.worst_sqnr_db(),
                                                       " dB, less than ", *options.min_sqnr));
  }
  if (options.min_agreement.has_value() && !(agreement >= *options.min_agreement)) {
    return MakeError(label::accuracy_low,
                     absl::StrCat("an output chooses as the float network in ", 100 * agreement,
                                  " %, less than ", 100 * *options.min_agreement));
  }
  return absl::OkStatus();
}

absl::Status Compare(const CompareOptions& options, std::ostream& out) {
  if (options.perplexity && options.right.labels.empty())
    return MakeError(label::option_syntax, "--perplexity is that of labels: it needs --labels");
  ASSIGN_OR_RETURN(const auto module, LoadValidModule(options.module));
  Summary summary;
  ASSIGN_OR_RETURN(const SamplesOfModule prepared,
                   PreparedAsBefore(options.inputs, options.samples, options.module, *module, summary));
  ASSIGN_OR_RETURN(const ServedNetwork network, LoadNetwork(options.network, prepared.inputs));
  ASSIGN_OR_RETURN(const auto samples, NetworkSamples::Open(network, prepared.samples, "--samples"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> right, ReadRightChoices(options.right, network, *samples));
  ASSIGN_OR_RETURN(const auto plan, options.engine.MakePlan(module));
  Results results(network.graph.outputs.size());
  const quant::OutputObserver keep = [&](size_t output, auto wanted, auto got) {
    results.Add(output, wanted, got);
  };
  const quant::Samples all = samples->All();
  ProgressBar progress("comparing");
  ASSIGN_OR_RETURN(
      const quant::Accuracy accuracy,
      quant::MeasureAccuracy(network.graph, *plan, all.count, all.source,
                             {.progress = [&](int64_t done, int64_t total) { progress.Show(done, total); },
                              .observer = options.output.empty() ? nullptr : keep,
                              .formats = network.formats(),
                              .right = right,
                              .loop = all.loop}));
  samples->Warn(summary);
  AddAccuracy(accuracy, summary);
  if (!right.empty()) AddRight(options, accuracy, summary);
  const absl::Status enough = CheckThresholds(options, accuracy);
  if (enough.ok() && !options.output.empty())
    RETURN_IF_ERROR(results.Write(options.output, *module, samples->count(), accuracy));
  // People see what it was; for machines standard output has the error alone.
  if (enough.ok() || !options.json) summary.Print(options.json, out);
  return enough;
}

}  // namespace

void AddCompareCommand(CommandLine& line) {
  auto& options = line.Keep<CompareOptions>();
  auto* compare = line.app.add_subcommand("compare", "compare a module with its float network on samples");
  AddNetworkOptions(line, *compare, options.network);
  AddPassOptions(*compare, options.network);
  line.ReadsModule(*compare, options.module);
  AddSampleOptions(line, *compare, options.samples, "--samples", true);
  AddLoopOptions(*compare, options.samples);
  AddServedInputOptions(*compare, options.inputs);
  AddLabelOptions(line, *compare, options.right);
  compare->add_flag("--perplexity", options.perplexity,
                    "rows are logits: print the perplexity of the labels");
  AddEngineOptions(*compare, options.engine);
  compare->add_option("--min-sqnr", options.min_sqnr, "fail below this SQNR of any output, in dB");
  compare
      ->add_option("--min-agreement", options.min_agreement,
                   "fail below this share of rows whose largest element is the same")
      ->check(CLI::Range(0.0, 1.0));
  line.Named(compare->add_option("-o,--output", options.output,
                                 "folder for the results of both as floats, NAME.float.npy and "
                                 "NAME.module.npy, for metrics of your own"));
  line.ForMachines(*compare, options.json);
  line.Calls(*compare, options, Compare);
}

}  // namespace tally::cli
