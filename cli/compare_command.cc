#include <algorithm>

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

absl::StatusOr<std::vector<int64_t>> ReadRightChoices(const std::string& path) {
  ASSIGN_OR_RETURN(const Tensor labels, ReadTensor(path));
  std::vector<int64_t> choices(static_cast<size_t>(labels.shape().num_elements()));
  for (size_t i = 0; i < choices.size(); ++i) choices[i] = labels.view().at(static_cast<int64_t>(i));
  return choices;
}

// Of the first output, whose rows `right` is of.
absl::Status AddRight(const CompareOptions& options, const std::vector<int64_t>& right,
                      const quant::Accuracy& accuracy, Summary& summary) {
  const quant::OutputAccuracy& first = accuracy.outputs.front();
  if (right.size() != first.error.choices().size()) {
    return MakeError(label::samples_shape,
                     absl::StrCat("'", options.labels, "' has ", right.size(), " labels for ",
                                  first.error.choices().size(), " rows of output '", first.name, "'"));
  }
  summary.AddShare("right", "float_accuracy", quant::ShareEqual(first.error.expected_choices(), right),
                   "by the float network");
  summary.AddShare("", "module_accuracy", quant::ShareEqual(first.error.choices(), right), "by the module");
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
  ASSIGN_OR_RETURN(const ServedNetwork network, LoadNetwork(options.network, options.inputs));
  ASSIGN_OR_RETURN(const auto module, LoadValidModule(options.module));
  ASSIGN_OR_RETURN(const auto samples, NetworkSamples::Open(network, options.samples, "--samples"));
  std::optional<std::vector<int64_t>> right;
  if (!options.labels.empty()) {
    ASSIGN_OR_RETURN(right, ReadRightChoices(options.labels));
  }
  ASSIGN_OR_RETURN(const auto plan,
                   MakePlan(options.engine, module, {.threads = static_cast<int>(options.threads)}));
  ProgressBar progress("comparing");
  ASSIGN_OR_RETURN(const quant::Accuracy accuracy,
                   quant::MeasureAccuracy(
                       network.graph, *plan, samples->count(), samples->From(0),
                       [&](int64_t done, int64_t total) { progress.Show(done, total); }, network.formats()));
  Summary summary;
  samples->Warn(summary);
  AddAccuracy(accuracy, summary);
  if (right) RETURN_IF_ERROR(AddRight(options, *right, accuracy, summary));
  const absl::Status enough = CheckThresholds(options, accuracy);
  // People see what it was; for machines standard output has the error alone.
  if (enough.ok() || !options.json) summary.Print(options.json, out);
  return enough;
}

}  // namespace tally::cli
