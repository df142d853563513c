#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/accuracy_report.h"
#include "cli/commands.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/load_network.h"
#include "cli/progress_bar.h"
#include "cli/samples.h"
#include "cli/tensor_files.h"
#include "vm/engine.h"

namespace tally::cli {
namespace {

// The share of choices that are the label of their sample.
double ShareRight(const std::vector<int64_t>& choices, const TensorView& labels) {
  int64_t right = 0;
  for (size_t i = 0; i < choices.size(); ++i)
    right += choices[i] == labels.at(static_cast<int64_t>(i)) ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(choices.size());
}

// Of the first output, whose rows the labels are of.
absl::Status AddLabels(const CompareOptions& options, const quant::Accuracy& accuracy, Summary& summary) {
  if (options.labels.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Tensor labels, ReadTensor(options.labels));
  const quant::OutputAccuracy& first = accuracy.outputs.front();
  if (labels.shape().num_elements() != static_cast<int64_t>(first.choices.size())) {
    return MakeError(
        label::samples_shape,
        absl::StrCat("'", options.labels, "' has ", labels.shape().num_elements(), " labels for ",
                     first.choices.size(), " rows of output '", first.name, "'"));
  }
  summary.AddShare("right", "float_accuracy", ShareRight(first.expected_choices, labels.view()),
                   "by the float network");
  summary.AddShare("", "module_accuracy", ShareRight(first.choices, labels.view()), "by the module");
  return absl::OkStatus();
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
  ASSIGN_OR_RETURN(const quant::Graph graph, LoadNetwork(options.network));
  ASSIGN_OR_RETURN(const auto module, LoadValidModule(options.module));
  ASSIGN_OR_RETURN(const Samples samples, ReadSampleFiles(graph, options.samples, "--samples"));
  ASSIGN_OR_RETURN(const auto plan,
                   MakePlan(options.engine, module, {.threads = static_cast<int>(options.threads)}));
  ProgressBar progress("comparing");
  ASSIGN_OR_RETURN(const quant::Accuracy accuracy,
                   quant::MeasureAccuracy(graph, *plan, samples.count(), samples.From(0),
                                          [&](int64_t done, int64_t total) { progress.Show(done, total); }));
  Summary summary;
  AddAccuracy(accuracy, summary);
  RETURN_IF_ERROR(AddLabels(options, accuracy, summary));
  const absl::Status enough = CheckThresholds(options, accuracy);
  // People see what it was; for machines standard output has the error alone.
  if (enough.ok() || !options.json) summary.Print(options.json, out);
  return enough;
}

}  // namespace tally::cli
