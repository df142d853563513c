#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/accuracy_report.h"
#include "cli/calibrate.h"
#include "cli/choices.h"
#include "cli/commands.h"
#include "cli/labels.h"
#include "cli/load_network.h"
#include "cli/network_samples.h"
#include "cli/origin_file.h"
#include "cli/progress_bar.h"
#include "cli/summary.h"
#include "quant/accuracy/choose_wide_values.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/accuracy/measure_layers.h"
#include "quant/calibrate/calibration_json.h"
#include "quant/labels.h"
#include "quant/lower/lower.h"
#include "quant/lower/pinned_grids.h"
#include "serializer/encode.h"
#include "serializer/module_id.h"
#include "vm/engine.h"
#include "vm/validator.h"

namespace tally::cli {
namespace {

constexpr double kLowSqnr = 20;  // dB
// Layers are told apart well on a few, and each takes a slow run.
constexpr int64_t kMaxSamplesForLayers = 4;

struct Quantized {
  std::vector<std::optional<quant::LoweredValue>> values;  // the network's
  std::shared_ptr<const ValidModule> module;
};

// What quantization cost, on the samples that were held back, or on all where there are too few.
absl::Status AddCost(const ServedNetwork& network, NetworkSamples& samples, const Quantized& quantized,
                     Summary& summary) {
  const int64_t held_back = HeldBack(samples);
  const int64_t count = held_back > 0 ? held_back : samples.count();
  const quant::SampleSource source = samples.From(samples.count() - count);
  ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", quantized.module, {}));
  ProgressBar progress("measuring");
  const auto show = [&](int64_t done, int64_t total) { progress.Show(done, total); };
  ASSIGN_OR_RETURN(const quant::Accuracy accuracy,
                   quant::MeasureAccuracy(network.graph, *plan, count, source, show, network.formats()));
  ASSIGN_OR_RETURN(
      const quant::LayerAccuracies layers,
      quant::MeasureLayers(network.graph, quantized.values, *plan, std::min(count, kMaxSamplesForLayers),
                           source, nullptr, network.formats()));
  AddAccuracy(accuracy, summary);
  summary.Say(
      "",
      held_back > 0 ? "which calibration has not seen" : "those of calibration: too few to hold some back",
      "held_back", held_back > 0);
  AddWorstLayers(layers, summary);
  if (accuracy.worst_sqnr_db() < kLowSqnr) {
    summary.Warn(
        "low_sqnr",
        "an output has less than 20 dB: calibrate with more samples that are like those of use, see with "
        "`tally report` in which layer accuracy goes, and with `tally compare` what it does to the results; "
        "docs/guides/low_accuracy.md says more");
  }
  samples.Warn(summary);
  return absl::OkStatus();
}

// On a few of the samples that calibration has seen; the others stay for AddCost.
absl::Status SpendBudget(const ServedNetwork& network, NetworkSamples& samples,
                         const QuantizeOptions& options, quant::Calibration& calibration, Summary& summary) {
  ProgressBar progress("choosing");
  ASSIGN_OR_RETURN(const quant::WideChoice choice,
                   quant::ChooseWideValues(
                       network.graph, calibration, {network.formats(), options.method}, *options.budget,
                       std::min(samples.count() - HeldBack(samples), kMaxSamplesForLayers), samples.From(0),
                       [&](int64_t done, int64_t total) { progress.Show(done, total); }));
  calibration.wide = choice.values;
  const double more =
      100 * (static_cast<double>(choice.gas_after) / static_cast<double>(choice.gas_before) - 1);
  char gain[128];
  std::snprintf(gain, sizeof gain,
                " values of 16 bits, for %.1f %% more gas: from %.1f to %.1f dB on samples of calibration",
                more, choice.sqnr_before, choice.sqnr_after);
  summary.Say("wide", absl::StrCat(choice.values.size(), gain), "wide", choice.values);
  return absl::OkStatus();
}

// Without samples, a network is quantized by what its file says of every value.
absl::StatusOr<quant::Calibration> CalibrationOfFile(const ServedNetwork& network) {
  const std::vector<quant::ValueId> values = quant::ValuesToCalibrate(network.graph, network.formats());
  if (values.empty()) return quant::Calibration{};
  return MakeError(label::calibration_no_samples,
                   absl::StrCat("the file has no scale for ", values.size(), " of its values, '",
                                network.graph.values[values[0]].name,
                                "' first: give samples with --calibrate, or ranges with --calibration"));
}

absl::StatusOr<std::string> TextToSave(const quant::Calibration& calibration) {
  if (calibration.num_samples == 0) {
    return MakeError(label::option_syntax,
                     "--save-calibration: nothing is calibrated, as the file has all scales");
  }
  absl::StatusOr<std::string> text = quant::ToFileText(calibration);
  if (text.ok()) return text;
  return WithMessage(text.status(), absl::StrCat(text.status().message(), ": leave out --save-calibration"));
}

}  // namespace

absl::Status Quantize(const QuantizeOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const ServedNetwork network, LoadNetwork(options.network, options.inputs));
  std::unique_ptr<NetworkSamples> samples;  // none where a calibration is read, or the file has all grids
  quant::Calibration calibration;
  if (options.budget.has_value() && options.calibrate.files.empty()) {
    return MakeError(label::option_syntax, "--budget chooses on samples: it needs --calibrate");
  }
  if (options.calibration.empty() && options.calibrate.files.empty()) {
    ASSIGN_OR_RETURN(calibration, CalibrationOfFile(network));
  } else if (options.calibration.empty()) {
    ASSIGN_OR_RETURN(samples, NetworkSamples::Open(network, options.calibrate, "--calibrate"));
    ASSIGN_OR_RETURN(calibration, CalibrateOn(network, *samples));
  } else {
    ASSIGN_OR_RETURN(calibration, ReadCalibration(options.calibration));
  }
  Summary summary;
  if (options.budget.has_value())
    RETURN_IF_ERROR(SpendBudget(network, *samples, options, calibration, summary));
  ASSIGN_OR_RETURN(quant::LoweredGraph lowered,
                   quant::LowerGraph(network.graph, calibration, {network.formats(), options.method}));
  const std::vector<uint8_t> bytes = Encode(lowered.module);
  // Nothing is written that a node would refuse.
  ASSIGN_OR_RETURN(ValidModule proven, Validate(std::move(lowered.module)));
  const Quantized quantized = {std::move(lowered.values),
                               std::make_shared<const ValidModule>(std::move(proven))};
  summary.AddModule(*quantized.module);
  network.Tell(summary);
  if (samples != nullptr) RETURN_IF_ERROR(AddCost(network, *samples, quantized, summary));
  std::vector<FileToWrite> files = {{options.output, bytes}};
  std::string calibration_text;
  if (!options.save_calibration.empty()) {
    ASSIGN_OR_RETURN(calibration_text, TextToSave(calibration));
    files.push_back({options.save_calibration, AsBytes(calibration_text)});
  }
  std::string labels;
  if (!network.labels.empty()) {
    labels = TextOfLabels(ToHex(ModuleId(quantized.module->module())), network.labels);
    files.push_back({LabelsBeside(options.output), AsBytes(labels)});
    summary.Say("labels", absl::StrCat(network.labels.size(), " of the file, for tally run --top"), "labels",
                network.labels.size());
  }
  std::optional<std::string> calibrated;  // nothing where the file had all scales
  if (calibration.num_samples > 0) calibrated = quant::ToJson(calibration);
  const std::string origin =
      ToJson(OriginOf(ModuleId(quantized.module->module()), "quantize", network.sources, calibrated));
  files.push_back({OriginBeside(options.output), AsBytes(origin)});
  RETURN_IF_ERROR(WriteFilesAtomically(files));
  for (const FileToWrite& written : files) summary.Wrote(written.path, written.bytes.size());
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace tally::cli
