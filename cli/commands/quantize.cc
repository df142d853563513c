// tally quantize: a float network in, a module out.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hash/digest.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/labels.h"
#include "cli/networks/accuracy_report.h"
#include "cli/networks/calibrate.h"
#include "cli/networks/load_network.h"
#include "cli/networks/network_options.h"
#include "cli/networks/network_samples.h"
#include "cli/networks/right_choices.h"
#include "cli/networks/spend_precision.h"
#include "cli/notes.h"
#include "cli/origin_file.h"
#include "cli/progress_bar.h"
#include "cli/summary.h"
#include "engines/engine.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/accuracy/measure_layers.h"
#include "quant/calibrate/calibration_json.h"
#include "quant/calibrate/clip_range.h"
#include "quant/labels.h"
#include "quant/lower/lower.h"
#include "quant/lower/pinned_grids.h"
#include "serializer/encode.h"
#include "serializer/module_id.h"
#include "vm/validator.h"

namespace tally::cli {
namespace {

struct QuantizeOptions {
  NetworkFile network;
  ServedInputOptions inputs;
  SampleOptions calibrate;
  std::string calibration;  // read this calibration instead of measuring
  std::string save_calibration;
  quant::ClipMethod method = quant::ClipMethod::kMse;
  std::optional<double> target_sqnr;  // dB; quant::DefaultSqnr
  std::optional<double> budget;       // more gas for 16 bits, in percent
  bool fast = false;                  // 8 bits alone
  bool accurate = false;              // as many bits as help
  bool equalize = false;              // the channels (quant/equalize), though 8 bits meet the target
  LabelOptions right;
  std::string output;
  bool json = false;
};

// Layers are told apart well on a few, and each takes a slow run.
constexpr int64_t kMaxSamplesForLayers = 4;

struct Quantized {
  std::vector<std::optional<quant::LoweredValue>> values;  // the network's
  std::shared_ptr<const ValidModule> module;
};

// The right choices for the samples with these numbers, of a list for all samples.
std::vector<int64_t> RightOf(const std::vector<int64_t>& right, int64_t samples,
                             const std::vector<int64_t>& numbers) {
  const int64_t rows = std::ssize(right) / samples;
  std::vector<int64_t> some;
  for (const int64_t number : numbers)
    some.insert(some.end(), right.begin() + number * rows, right.begin() + (number + 1) * rows);
  return some;
}

// Reports the cost of quantization, on the samples for the verdict.
absl::StatusOr<quant::Accuracy> AddCost(const ServedNetwork& network, NetworkSamples& samples,
                                        const QuantizeOptions& options, const Quantized& quantized,
                                        const quant::PrecisionChoice& choice,
                                        const quant::PrecisionTarget& target, Summary& summary) {
  const SampleParts& parts = samples.parts();
  const quant::Samples measured = samples.At(parts.verdict);
  ASSIGN_OR_RETURN(std::vector<int64_t> right, ReadRightChoices(options.right, network, samples));
  right = RightOf(right, samples.count(), parts.verdict);
  ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", quantized.module, {}));
  ProgressBar progress("measuring");
  const auto show = [&](int64_t done, int64_t total) { progress.Show(done, total); };
  ASSIGN_OR_RETURN(
      const quant::Accuracy accuracy,
      quant::MeasureAccuracy(
          network.graph, *plan, measured.count, measured.source,
          {.progress = show, .formats = network.formats(), .right = right, .loop = measured.loop}));
  ASSIGN_OR_RETURN(const quant::LayerAccuracies layers,
                   quant::MeasureLayers(network.graph, quantized.values, *plan,
                                        std::min(measured.count, kMaxSamplesForLayers), measured.source,
                                        nullptr, network.formats()));
  AddPrecision(choice, target, summary);
  AddAccuracy(accuracy, summary);
  summary.Say(
      "",
      absl::StrCat("of ", samples.count(), " samples, ", parts.ranges.size(), " were for ranges, ",
                   parts.search.size(), " for the search and ", parts.verdict.size(), " for this",
                   parts.verdict_is_unseen() ? "" : ": the same one"),
      "samples",
      {{"ranges", parts.ranges.size()}, {"search", parts.search.size()}, {"verdict", parts.verdict.size()}});
  if (!right.empty()) AddRightChoices(accuracy, summary);
  AddWorstLayers(layers, summary);
  samples.Warn(summary);
  return accuracy;
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

quant::PrecisionTarget TargetOf(const QuantizeOptions& options, const quant::Graph& graph) {
  if (options.fast) return {.sqnr_db = 0};
  if (options.accurate) return {.sqnr_db = 60, .budget = 100};
  return {.sqnr_db = options.target_sqnr.value_or(quant::DefaultSqnr(graph)),
          .budget = options.budget.value_or(quant::PrecisionTarget{}.budget)};
}

// The choices that samples alone can decide.
absl::Status CheckOptions(const QuantizeOptions& options) {
  if (!options.calibrate.files.empty()) return absl::OkStatus();
  const std::pair<bool, const char*> of_samples[] = {{options.budget.has_value(), "--budget"},
                                                     {options.target_sqnr.has_value(), "--target-sqnr"},
                                                     {options.fast, "--fast"},
                                                     {options.accurate, "--accurate"},
                                                     {!options.right.labels.empty(), "--labels"},
                                                     {options.equalize, "--equalize"}};
  for (const auto& [given, option] : of_samples) {
    if (given)
      return MakeError(label::option_syntax, absl::StrCat(option, " is about samples: it needs --calibrate"));
  }
  return absl::OkStatus();
}

absl::Status Quantize(const QuantizeOptions& options, std::ostream& out) {
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(ServedNetwork network, LoadNetwork(options.network, options.inputs));
  const quant::LowerOptions lowering = {network.formats(), options.method};
  const quant::PrecisionTarget target = TargetOf(options, network.graph);
  std::unique_ptr<NetworkSamples> samples;  // none where a calibration is read, or the file has all grids
  quant::Calibration calibration;
  quant::PrecisionChoice choice;
  if (options.calibration.empty() && options.calibrate.files.empty()) {
    ASSIGN_OR_RETURN(calibration, CalibrationOfFile(network));
  } else if (options.calibration.empty()) {
    ASSIGN_OR_RETURN(samples, NetworkSamples::Open(network, options.calibrate, "--calibrate"));
    ASSIGN_OR_RETURN(calibration, CalibrateOn(network.graph, *samples));
    ASSIGN_OR_RETURN(choice, SpendPrecision(network.graph, *samples, lowering, target, calibration));
    if (options.equalize || options.fast || choice.sure_before < target.sqnr_db)
      RETURN_IF_ERROR(TryEqualized(network.graph, *samples, lowering, target, calibration, choice));
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
  std::optional<quant::Accuracy> accuracy;
  if (samples != nullptr) {
    AddEqualized(calibration, summary);
    ASSIGN_OR_RETURN(accuracy, AddCost(network, *samples, options, quantized, choice, target, summary));
  }
  std::vector<FileToWrite> files = {{options.output, bytes}};
  Notes known = network.notes;
  known.preparation = options.calibrate.preparation;
  known.served = options.inputs;
  std::optional<std::string> notes;
  if (known != Notes()) {
    notes = TextOfNotes(ToHex(ModuleId(quantized.module->module())), known);
    files.push_back({NotesBeside(options.output), AsBytes(*notes)});
  }
  if (!network.notes.labels.empty()) {
    summary.Say("labels", absl::StrCat(network.notes.labels.size(), " of the file, for tally run --top"),
                "labels", network.notes.labels.size());
  }
  std::optional<std::string> calibrated;  // nothing where the file had all scales
  if (calibration.num_samples > 0) calibrated = quant::ToJson(calibration);
  // One that is too large to be read again is not kept.
  const bool is_kept = calibrated.has_value() && quant::ToFileText(calibration).ok();
  if (is_kept) files.push_back({CalibrationBeside(options.output), AsBytes(*calibrated)});
  const std::string origin =
      ToJson(OriginOf(ModuleId(quantized.module->module()), "quantize", network.sources, calibrated, notes));
  files.push_back({OriginBeside(options.output), AsBytes(origin)});
  RETURN_IF_ERROR(WriteFilesAtomically(files));
  for (const FileToWrite& written : files) summary.Wrote(written.path, written.bytes.size());
  if (accuracy.has_value()) AddVerdict(*accuracy, samples->parts(), target, choice, summary);
  summary.Print(options.json, out);
  return absl::OkStatus();
}

void AddPrecisionOptions(CLI::App& quantize, QuantizeOptions& options) {
  CLI::Option* const target =
      quantize
          .add_option("--target-sqnr", options.target_sqnr,
                      "DB: target SQNR (default: 30; 40 with indices or labels); layers that need it get 16 "
                      "bits. 0: 8 bits everywhere")
          ->check(CLI::Range(0.0, 200.0));
  CLI::Option* const budget =
      quantize
          .add_option("--budget", options.budget, "PERCENT: how much more gas 16 bits may cost (default: 25)")
          ->check(CLI::Range(0.0, 1000.0));
  CLI::Option* const fast =
      quantize.add_flag("--fast", options.fast,
                        "8 bits everywhere, channels equalized where that is closer: the fastest module");
  CLI::Option* const accurate = quantize.add_flag(
      "--accurate", options.accurate, "60 dB, for up to twice the gas: closest to the float network");
  fast->excludes(target)->excludes(budget)->excludes(accurate);
  accurate->excludes(target)->excludes(budget);
  quantize.add_flag(
      "--equalize", options.equalize,
      "scale channels by powers of two so that they share a grid of 8 bits better, also where 8 "
      "bits meet the target; where they miss it, this is tried anyway");
}

}  // namespace

void AddQuantizeCommand(CommandLine& line) {
  auto& options = line.Keep<QuantizeOptions>();
  auto* quantize = line.app.add_subcommand("quantize", "turn a float network into a module");
  AddNetworkOptions(line, *quantize, options.network);
  AddPassOptions(*quantize, options.network);
  AddSampleOptions(line, *quantize, options.calibrate, "--calibrate", false);
  AddLoopOptions(*quantize, options.calibrate);
  line.Reads(quantize->add_option("--calibration", options.calibration, "use this calibration file"));
  line.Writes(
      quantize->add_option("--save-calibration", options.save_calibration, "file for the calibration"));
  AddMethodOption(*quantize, options.method);
  AddPrecisionOptions(*quantize, options);
  AddLabelOptions(line, *quantize, options.right);
  AddServedInputOptions(*quantize, options.inputs);
  line.WritesNamed(quantize->add_option("-o,--output", options.output, "module file"))->required();
  line.ForMachines(*quantize, options.json);
  line.Calls(*quantize, options, Quantize);
}

}  // namespace tally::cli
