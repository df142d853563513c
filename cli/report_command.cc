#include <algorithm>
#include <memory>
#include <utility>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/accuracy_report.h"
#include "cli/calibrate.h"
#include "cli/labels.h"
#include "cli/layers/layer_page.h"
#include "cli/layers/layer_text.h"
#include "cli/layers/netron_json.h"
#include "cli/load.h"
#include "cli/load_network.h"
#include "cli/network_commands.h"
#include "cli/network_samples.h"
#include "cli/origin_file.h"
#include "cli/progress_bar.h"
#include "cli/summary.h"
#include "engines/engine.h"
#include "quant/accuracy/measure_layers.h"
#include "quant/accuracy/measure_sensitivity.h"
#include "quant/lower/lower.h"
#include "serializer/module_id.h"

namespace tally::cli {
namespace {

// Modules do not say which of their values is which of the network: lowering the network once more does,
// which gives the same module.
absl::StatusOr<quant::LoweredGraph> LowerAgain(const ServedNetwork& network,
                                               const quant::Calibration& calibration,
                                               quant::ClipMethod method, const Module& module) {
  ASSIGN_OR_RETURN(quant::LoweredGraph lowered,
                   quant::LowerGraph(network.graph, calibration, {network.formats(), method}));
  if (ModuleId(lowered.module) == ModuleId(module)) return lowered;
  return MakeError(
      label::report_module,
      "`tally quantize` makes another module of the network with this calibration: give the file "
      "that it wrote beside the module, MODULE.calibration, to --calibration, and its other "
      "options (--input-grid, --method)");
}

// The calibration that the options name, the one beside the module, or that of the samples.
absl::StatusOr<quant::Calibration> CalibrationOf(const ReportOptions& options, const Digest& module_id,
                                                 ServedNetwork& network, NetworkSamples& samples) {
  if (!options.calibration.empty()) return ReadCalibration(options.calibration, network);
  ASSIGN_OR_RETURN(const bool is_beside, HasCalibrationBeside(options.module, module_id));
  return is_beside ? ReadCalibration(CalibrationBeside(options.module), network)
                   : CalibrateOn(network.graph, samples);
}

struct Measured {
  std::string module_id;
  quant::LayerAccuracies layers;
};

// What both commands begin with.
absl::StatusOr<Measured> Measure(const ReportOptions& options, Summary& summary) {
  ASSIGN_OR_RETURN(const auto module, LoadValidModule(options.module));
  ASSIGN_OR_RETURN(const SamplesOfModule prepared,
                   PreparedAsBefore(options.inputs, options.samples, options.module, *module, summary));
  ASSIGN_OR_RETURN(ServedNetwork network, LoadNetwork(options.network, prepared.inputs));
  ASSIGN_OR_RETURN(const auto samples, NetworkSamples::Open(network, prepared.samples, "--samples"));
  ASSIGN_OR_RETURN(const quant::Calibration calibration,
                   CalibrationOf(options, ModuleId(module->module()), network, *samples));
  ASSIGN_OR_RETURN(const quant::LoweredGraph lowered,
                   LowerAgain(network, calibration, options.method, module->module()));
  ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", module, {.threads = static_cast<int>(options.threads)}));
  const quant::Samples all = samples->All();
  ProgressBar progress("measuring");
  ASSIGN_OR_RETURN(quant::LayerAccuracies layers,
                   quant::MeasureLayers(
                       network.graph, lowered.values, *plan, all.count, all.source,
                       [&](int64_t done, int64_t total) { progress.Show(done, total); }, network.formats()));
  if (options.sensitivity) {
    ProgressBar each("each layer alone");
    RETURN_IF_ERROR(quant::MeasureSensitivity(network.graph, all.count, all.source, layers,
                                              [&](int64_t done, int64_t total) { each.Show(done, total); }));
  }
  Measured measured = {ToHex(ModuleId(module->module())), std::move(layers)};
  summary.Add("module", "module_id", measured.module_id);
  summary.Add("samples", "samples", measured.layers.samples);
  samples->Warn(summary);
  return measured;
}

}  // namespace

absl::Status Report(const ReportOptions& options, std::ostream& out) {
  Summary summary;
  ASSIGN_OR_RETURN(const Measured measured, Measure(options, summary));
  const quant::LayerAccuracies& layers = measured.layers;
  const std::string page =
      options.html.empty() ? "" : LayerPage({options.network.path, measured.module_id}, layers);
  const std::string netron =
      options.html.empty() ? "" : NetronJson({options.network.path, measured.module_id}, layers);
  const std::string table = options.csv.empty() ? "" : LayersToCsv(layers);
  std::vector<FileToWrite> files;
  if (!options.html.empty()) {
    files.push_back({options.html, AsBytes(page)});
    files.push_back({options.html + ".netron.json", AsBytes(netron)});
  }
  if (!options.csv.empty()) files.push_back({options.csv, AsBytes(table)});
  RETURN_IF_ERROR(WriteFilesAtomically(files));

  AddWorstLayers(layers, summary);
  summary.Say("layers", "\n" + LayerTable(layers), "layers", LayersToJson(layers));
  for (const FileToWrite& written : files) summary.Wrote(written.path, written.bytes.size());
  summary.Print(options.json, out);
  return absl::OkStatus();
}

absl::Status Bisect(const BisectOptions& options, std::ostream& out) {
  Summary summary;
  ASSIGN_OR_RETURN(const Measured measured, Measure(options.report, summary));
  const std::vector<quant::LayerAccuracy>& layers = measured.layers.layers;
  const auto first = std::ranges::find_if(
      layers, [&](const quant::LayerAccuracy& layer) { return layer.error.sqnr_db() < options.below; });
  if (first == layers.end()) {
    summary.Say("first", absl::StrCat("none of ", layers.size(), " layers is below ", options.below, " dB"),
                "first", nullptr);
  } else {
    std::string text = LayerLine(*first) + "\n        " + Printable(first->source);
    for (const size_t read : first->reads) text += "\nreads   " + LayerLine(layers[read]);
    summary.Say("first", text, "first", first->name);
  }
  summary.Print(options.report.json, out);
  return absl::OkStatus();
}

}  // namespace tally::cli
