#include "cli/networks/measured_layers.h"

#include <memory>
#include <utility>

#include "base/error.h"
#include "base/hash/digest.h"
#include "base/status_macros.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/networks/calibrate.h"
#include "cli/networks/load_network.h"
#include "cli/networks/network_options.h"
#include "cli/networks/network_samples.h"
#include "cli/origin_file.h"
#include "cli/progress_bar.h"
#include "engines/engine.h"
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
absl::StatusOr<quant::Calibration> CalibrationOf(const MeasuredLayersOptions& options,
                                                 const Digest& module_id, ServedNetwork& network,
                                                 NetworkSamples& samples) {
  if (!options.calibration.empty()) return ReadCalibration(options.calibration, network);
  ASSIGN_OR_RETURN(const bool is_beside, HasCalibrationBeside(options.module, module_id));
  return is_beside ? ReadCalibration(CalibrationBeside(options.module), network)
                   : CalibrateOn(network.graph, samples);
}

}  // namespace

void AddMeasuredLayersOptions(CommandLine& line, CLI::App& command, MeasuredLayersOptions& options) {
  AddNetworkOptions(line, command, options.network);
  AddPassOptions(command, options.network);
  line.ReadsModule(command, options.module);
  AddSampleOptions(line, command, options.samples, "--samples", true);
  AddLoopOptions(command, options.samples);
  AddServedInputOptions(command, options.inputs);
  line.Reads(
      command.add_option("--calibration", options.calibration,
                         "calibration of the module (default: MODULE.calibration, or that of the samples)"));
  AddMethodOption(command, options.method);
  command.add_option("--threads", options.threads, "threads of the engine")->check(CLI::Range(1, 1024));
  line.ForMachines(command, options.json);
}

absl::StatusOr<MeasuredLayers> MeasureLayersOf(const MeasuredLayersOptions& options, Summary& summary) {
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
  MeasuredLayers measured = {ToHex(ModuleId(module->module())), std::move(layers)};
  summary.Add("module", "module_id", measured.module_id);
  summary.Add("samples", "samples", measured.layers.samples);
  samples->Warn(summary);
  return measured;
}

}  // namespace tally::cli
