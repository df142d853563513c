#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/accuracy_report.h"
#include "cli/commands.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/load_network.h"
#include "cli/network_samples.h"
#include "cli/progress_bar.h"
#include "cli/tensor_files.h"
#include "vm/engine.h"

namespace tally::cli {
namespace {

// For each row of the first output, over all samples, the place of its right element; none without --labels.
absl::StatusOr<std::vector<int64_t>> ReadLabels(const CompareOptions& options, const quant::Graph& graph,
                                                int64_t samples) {
  if (options.labels.empty()) {
    if (!options.perplexity) return std::vector<int64_t>();
    return MakeError(label::option_syntax, "--perplexity is that of labels: it needs --labels");
  }
  ASSIGN_OR_RETURN(const Tensor labels, ReadTensor(options.labels));
  const quant::Output& first = graph.outputs.front();
  const quant::Shape& shape = graph.values[first.value].type.shape;
  const int64_t row = shape.empty() ? 1 : shape.back();
  const int64_t rows = samples * (quant::NumElements(shape) / row);
  std::vector<int64_t> right(static_cast<size_t>(labels.shape().num_elements()));
  if (std::ssize(right) != rows) {
    return MakeError(label::samples_shape,
                     absl::StrCat("'", options.labels, "' has ", right.size(), " labels for ", rows,
                                  " rows of output '", first.name, "'"));
  }
  for (size_t i = 0; i < right.size(); ++i) {
    right[i] = labels.view().at(static_cast<int64_t>(i));
    if (right[i] >= 0 && right[i] < row) continue;
    return MakeError(label::samples_range,
                     absl::StrCat("'", options.labels, "' holds ", right[i], ", where a row of output '",
                                  first.name, "' has ", row, " elements"));
  }
  return right;
}

void AddPerplexity(std::string_view name, std::string_view key, const quant::LogLoss& loss, const char* whose,
                   Summary& summary) {
  char text[64];
  std::snprintf(text, sizeof text, "%.4f %s", loss.perplexity(), whose);
  summary.Say(name, text, key, loss.perplexity());
}

void AddRight(const CompareOptions& options, const std::vector<int64_t>& right,
              const quant::Accuracy& accuracy, Summary& summary) {
  const quant::OutputError& error = accuracy.outputs.front().error;
  summary.AddShare("right", "float_accuracy", quant::ShareEqual(error.expected_choices(), right),
                   "by the float network");
  summary.AddShare("", "module_accuracy", quant::ShareEqual(error.choices(), right), "by the module");
  if (!options.perplexity) return;
  AddPerplexity("perplexity", "float_perplexity", accuracy.expected_loss, "of the float network", summary);
  AddPerplexity("", "module_perplexity", accuracy.loss, "of the module", summary);
}

absl::Status CheckThresholds(const CompareOptions& options, const quant::Accuracy& accuracy) {
  double agreement = 1;
  for (const quant::OutputAccuracy& output : accuracy.outputs) {
    agreement = std::min(agreement, output.error.agreement());
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

}  // namespace

absl::Status Compare(const CompareOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const ServedNetwork network, LoadNetwork(options.network, options.inputs));
  ASSIGN_OR_RETURN(const auto module, LoadValidModule(options.module));
  ASSIGN_OR_RETURN(const auto samples, NetworkSamples::Open(network, options.samples, "--samples"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> right, ReadLabels(options, network.graph, samples->count()));
  ASSIGN_OR_RETURN(const auto plan,
                   MakePlan(options.engine, module, {.threads = static_cast<int>(options.threads)}));
  ProgressBar progress("comparing");
  ASSIGN_OR_RETURN(
      const quant::Accuracy accuracy,
      quant::MeasureAccuracy(
          network.graph, *plan, samples->count(), samples->From(0),
          [&](int64_t done, int64_t total) { progress.Show(done, total); }, network.formats(), right));
  Summary summary;
  samples->Warn(summary);
  AddAccuracy(accuracy, summary);
  if (!right.empty()) AddRight(options, right, accuracy, summary);
  const absl::Status enough = CheckThresholds(options, accuracy);
  // People see what it was; for machines standard output has the error alone.
  if (enough.ok() || !options.json) summary.Print(options.json, out);
  return enough;
}

}  // namespace tally::cli
