#include <memory>

#include "base/file.h"
#include "base/status_macros.h"
#include "cli/accuracy_report.h"
#include "cli/commands.h"
#include "cli/input_grid.h"
#include "cli/load_network.h"
#include "cli/progress_bar.h"
#include "cli/samples.h"
#include "cli/summary.h"
#include "quant/calibrate/min_max.h"
#include "quant/lower/lower.h"
#include "serializer/encode.h"
#include "vm/engine.h"
#include "vm/validator.h"

namespace tally::cli {
namespace {

// Of this many samples one is held back, and the module is measured on it.
constexpr int64_t kSamplesForEachHeldBack = 8;
constexpr double kLowSqnr = 20;  // dB

// What a network is quantized with.
struct Measured {
  quant::Calibration calibration;
  Samples samples;        // none where a calibration was read
  int64_t held_back = 0;  // the last of them
};

absl::StatusOr<Measured> Calibrate(const quant::Graph& graph, const QuantizeOptions& options) {
  Measured measured;
  if (!options.calibration.empty()) {
    ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile(options.calibration));
    ASSIGN_OR_RETURN(measured.calibration, quant::CalibrationFromJson(AsText(text)));
    return measured;
  }
  ASSIGN_OR_RETURN(measured.samples, ReadSampleFiles(graph, options.calibrate, "--calibrate"));
  measured.held_back = measured.samples.count() / kSamplesForEachHeldBack;
  ProgressBar progress("calibrating");
  ASSIGN_OR_RETURN(
      measured.calibration,
      quant::CalibrateMinMax(graph, measured.samples.count() - measured.held_back, measured.samples.From(0),
                             [&](int64_t done, int64_t total) { progress.Show(done, total); }));
  return measured;
}

// What quantization cost, on the samples that were held back, or on all where there are too few.
absl::Status AddCost(const quant::Graph& graph, const Measured& measured,
                     std::shared_ptr<const ValidModule> module, Summary& summary) {
  if (measured.samples.count() == 0) return absl::OkStatus();
  const int64_t count = measured.held_back > 0 ? measured.held_back : measured.samples.count();
  ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", std::move(module), {}));
  ProgressBar progress("measuring");
  ASSIGN_OR_RETURN(
      const quant::Accuracy accuracy,
      quant::MeasureAccuracy(graph, *plan, count, measured.samples.From(measured.samples.count() - count),
                             [&](int64_t done, int64_t total) { progress.Show(done, total); }));
  AddAccuracy(accuracy, summary);
  summary.Say("",
              measured.held_back > 0 ? "which calibration has not seen"
                                     : "those of calibration: too few to hold some back",
              "held_back", measured.held_back > 0);
  if (accuracy.worst_sqnr_db() < kLowSqnr) {
    summary.Say(
        "warning",
        "an output has less than 20 dB: calibrate with more samples that are like those of use, and see with "
        "`tally compare` what it does to the results",
        "warning", "low_sqnr");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Quantize(const QuantizeOptions& options, std::ostream& out) {
  quant::LowerOptions lower_options;
  for (const std::string& text : options.input_grids) {
    ASSIGN_OR_RETURN(quant::InputFormat format, ParseInputGrid(text));
    lower_options.inputs.push_back(std::move(format));
  }
  ASSIGN_OR_RETURN(const quant::Graph graph, LoadNetwork(options.network));
  ASSIGN_OR_RETURN(const Measured measured, Calibrate(graph, options));
  ASSIGN_OR_RETURN(Module module, quant::LowerToModule(graph, measured.calibration, lower_options));
  const std::vector<uint8_t> bytes = Encode(module);
  // Nothing is written that a node would refuse.
  ASSIGN_OR_RETURN(ValidModule proven, Validate(std::move(module)));
  const auto valid = std::make_shared<const ValidModule>(std::move(proven));
  Summary summary;
  summary.AddModule(*valid);
  RETURN_IF_ERROR(AddCost(graph, measured, valid, summary));
  const std::string calibration_text = quant::ToJson(measured.calibration);
  std::vector<FileToWrite> files = {{options.output, bytes}};
  if (!options.save_calibration.empty()) {
    files.push_back({options.save_calibration, AsBytes(calibration_text)});
  }
  RETURN_IF_ERROR(WriteFilesAtomically(files));
  for (const FileToWrite& written : files) summary.Wrote(written.path, written.bytes.size());
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace tally::cli
