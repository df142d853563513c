#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
#include "cli/right_choices.h"
#include "cli/spend_precision.h"
#include "cli/summary.h"
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

// Layers are told apart well on a few, and each takes a slow run.
constexpr int64_t kMaxSamplesForLayers = 4;

struct Quantized {
  std::vector<std::optional<quant::LoweredValue>> values;  // the network's
  std::shared_ptr<const ValidModule> module;
};

// What quantization cost, on the samples that were held back, or on all where there are too few. Returns the
// dB of the worst output.
absl::StatusOr<double> AddCost(const ServedNetwork& network, NetworkSamples& samples,
                               const QuantizeOptions& options, const Quantized& quantized,
                               const quant::PrecisionChoice& choice, const quant::PrecisionTarget& target,
                               Summary& summary) {
  const int64_t held_back = HeldBack(samples);
  const int64_t count = held_back > 0 ? held_back : samples.count();
  const quant::SampleSource source = samples.From(samples.count() - count);
  std::vector<int64_t> right;
  if (!options.labels.empty()) {
    ASSIGN_OR_RETURN(right, ReadRightChoices(options.labels, network.graph, samples.count()));
    right.erase(right.begin(), right.end() - std::ssize(right) / samples.count() * count);
  }
  ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", quantized.module, {}));
  ProgressBar progress("measuring");
  const auto show = [&](int64_t done, int64_t total) { progress.Show(done, total); };
  ASSIGN_OR_RETURN(const quant::Accuracy accuracy,
                   quant::MeasureAccuracy(network.graph, *plan, count, source,
                                          {.progress = show,
                                           .formats = network.formats(),
                                           .right = right,
                                           .loop = samples.loop().From(samples.count() - count)}));
  ASSIGN_OR_RETURN(
      const quant::LayerAccuracies layers,
      quant::MeasureLayers(network.graph, quantized.values, *plan, std::min(count, kMaxSamplesForLayers),
                           source, nullptr, network.formats()));
  AddPrecision(choice, target, summary);
  AddAccuracy(accuracy, summary);
  summary.Say(
      "",
      held_back > 0 ? "which calibration has not seen" : "those of calibration: too few to hold some back",
      "held_back", held_back > 0);
  if (!right.empty()) AddRightChoices(right, accuracy, summary);
  AddWorstLayers(layers, summary);
  samples.Warn(summary);
  return accuracy.worst_sqnr_db();
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

// What samples alone can decide.
absl::Status CheckOptions(const QuantizeOptions& options) {
  if (!options.calibrate.files.empty()) return absl::OkStatus();
  const std::pair<bool, const char*> of_samples[] = {{options.budget.has_value(), "--budget"},
                                                     {options.target_sqnr.has_value(), "--target-sqnr"},
                                                     {!options.labels.empty(), "--labels"},
                                                     {options.equalize, "--equalize"}};
  for (const auto& [given, option] : of_samples) {
    if (given)
      return MakeError(label::option_syntax, absl::StrCat(option, " is about samples: it needs --calibrate"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Quantize(const QuantizeOptions& options, std::ostream& out) {
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(ServedNetwork network, LoadNetwork(options.network, options.inputs));
  const quant::LowerOptions lowering = {network.formats(), options.method};
  const quant::PrecisionTarget target = {options.target_sqnr.value_or(quant::DefaultSqnr(network.graph)),
                                         options.budget.value_or(quant::PrecisionTarget{}.budget)};
  std::unique_ptr<NetworkSamples> samples;  // none where a calibration is read, or the file has all grids
  quant::Calibration calibration;
  quant::PrecisionChoice choice;
  if (options.calibration.empty() && options.calibrate.files.empty()) {
    ASSIGN_OR_RETURN(calibration, CalibrationOfFile(network));
  } else if (options.calibration.empty()) {
    ASSIGN_OR_RETURN(samples, NetworkSamples::Open(network, options.calibrate, "--calibrate"));
    ASSIGN_OR_RETURN(calibration, CalibrateOn(network, *samples));
    if (options.equalize) RETURN_IF_ERROR(EqualizeOn(network, *samples, lowering, calibration));
    ASSIGN_OR_RETURN(choice, SpendPrecision(network, *samples, lowering, target, calibration));
  } else {
    ASSIGN_OR_RETURN(calibration, ReadCalibration(options.calibration, network));
  }
  Summary summary;
  if (!options.save_calibration.empty()) {  // at once: what can't be lowered can be looked at and edited
    ASSIGN_OR_RETURN(const std::string text, TextToSave(calibration));
    const FileToWrite saved[] = {{options.save_calibration, AsBytes(text)}};
    RETURN_IF_ERROR(WriteFilesAtomically(saved));
    summary.Wrote(options.save_calibration, text.size());
  }
  ASSIGN_OR_RETURN(quant::LoweredGraph lowered, quant::LowerGraph(network.graph, calibration, lowering));
  const std::vector<uint8_t> bytes = Encode(lowered.module);
  // Nothing is written that a node would refuse.
  ASSIGN_OR_RETURN(ValidModule proven, Validate(std::move(lowered.module)));
  const Quantized quantized = {std::move(lowered.values),
                               std::make_shared<const ValidModule>(std::move(proven))};
  summary.AddModule(*quantized.module);
  network.Tell(summary);
  std::optional<double> sqnr_db;
  if (samples != nullptr) {
    AddEqualized(calibration, summary);
    ASSIGN_OR_RETURN(sqnr_db, AddCost(network, *samples, options, quantized, choice, target, summary));
  }
  std::vector<FileToWrite> files = {{options.output, bytes}};
  std::string labels;
  if (!network.notes.labels.empty() || !network.notes.bgr_inputs.empty()) {
    labels = TextOfNotes(ToHex(ModuleId(quantized.module->module())), network.notes);
    files.push_back({LabelsBeside(options.output), AsBytes(labels)});
  }
  if (!network.notes.labels.empty()) {
    summary.Say("labels", absl::StrCat(network.notes.labels.size(), " of the file, for tally run --top"),
                "labels", network.notes.labels.size());
  }
  std::optional<std::string> calibrated;  // nothing where the file had all scales
  if (calibration.num_samples > 0) calibrated = quant::ToJson(calibration);
  const std::string origin =
      ToJson(OriginOf(ModuleId(quantized.module->module()), "quantize", network.sources, calibrated));
  files.push_back({OriginBeside(options.output), AsBytes(origin)});
  RETURN_IF_ERROR(WriteFilesAtomically(files));
  for (const FileToWrite& written : files) summary.Wrote(written.path, written.bytes.size());
  if (sqnr_db.has_value()) AddVerdict(*sqnr_db, target, choice, summary);
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace tally::cli
