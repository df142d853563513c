// The accuracy of each layer of a module against its float network: what `report` and `bisect` show.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "cli/command_line.h"
#include "cli/networks/network_file.h"
#include "cli/summary.h"
#include "quant/accuracy/measure_layers.h"
#include "quant/calibrate/clip_range.h"

namespace tally::cli {

struct MeasuredLayersOptions {
  NetworkFile network;
  std::string module;         // made of it by quantize
  ServedInputOptions inputs;  // as quantize was given
  SampleOptions samples;
  std::string calibration;  // that of the module; by default what is beside it, or what the samples give
  quant::ClipMethod method = quant::ClipMethod::kMse;  // that of the module
  bool sensitivity = false;  // measure what the grid of each value alone costs: a run of the network for each
  int64_t threads = 1;
  bool json = false;
};
void AddMeasuredLayersOptions(CommandLine& line, CLI::App& command, MeasuredLayersOptions& options);

struct MeasuredLayers {
  std::string module_id;
  quant::LayerAccuracies layers;
};
// Errors: report_module, those of MeasureLayers.
absl::StatusOr<MeasuredLayers> MeasureLayersOf(const MeasuredLayersOptions& options, Summary& summary);

}  // namespace tally::cli
